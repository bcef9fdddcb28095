#include "dialect/whole_answer.hpp"

#include "dialect/audio_pieces.hpp"
#include "dialect/openai_parts.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace runnel::dialect {
namespace {

// What most answers fit in, so that their long text is not moved.
std::size_t size_guess(const timeline::Answer& answer) {
    std::size_t bytes = 512;
    for (const auto& choice : answer.choices)
        bytes += 128 + choice.text_escaped.size() + choice.reasoning_escaped.size();
    return bytes;
}

class AnswerWriter {
public:
    AnswerWriter(const Envelope& envelope, const ChatStyle& style)
        : envelope_(envelope),
          style_(style) {}

    std::string write(const timeline::Answer& answer) {
        out_.reserve(size_guess(answer));
        writer_.begin_object();
        writer_.key("id").string(envelope_.id);
        writer_.key("object").string("chat.completion");
        writer_.key("created").number(envelope_.created);
        writer_.key("model").string(envelope_.model);
        if (!style_.system_fingerprint.empty())
            writer_.key("system_fingerprint").string(style_.system_fingerprint);
        writer_.key("choices").begin_array();
        for (std::size_t i = 0; i < answer.choices.size(); ++i) {
            writer_.begin_object().key("index").number(static_cast<std::int64_t>(i));
            write_message(answer.choices[i]);
            write_logprobs(answer.choices[i]);
            const auto finish = answer.choices[i].finish.value_or(timeline::Finish::stop);
            writer_.key("finish_reason").string(timeline::name_of(finish)).end_object();
        }
        writer_.end_array();
        // Clients read usage without looking: a provider that counted nothing counts as zero.
        write_usage(writer_.key("usage"), answer.usage.value_or(timeline::Usage{}),
                    style_.prompt_tokens);
        writer_.end_object();
        return std::move(out_);
    }

private:
    void write_message(const timeline::Answer::Choice& choice) {
        writer_.key("message").begin_object();
        writer_.key("role").string("assistant").key("content");
        const std::string_view text = text_of(choice);
        const bool something_else = !choice.tool_calls.empty() || !choice.refusal_escaped.empty() ||
                                    !choice.audio_raw.empty();
        if (text.empty() && something_else)
            writer_.null();
        else
            writer_.escaped(text);
        if (!choice.reasoning_escaped.empty() && envelope_.reasoning == Envelope::Reasoning::shown)
            writer_.key(style_.reasoning_key).escaped(choice.reasoning_escaped);
        if (!choice.refusal_escaped.empty()) writer_.key("refusal").escaped(choice.refusal_escaped);
        if (!choice.tool_calls.empty()) write_tool_calls(choice.tool_calls);
        if (!choice.annotations_raw.empty())
            write_list(writer_.key("annotations"), choice.annotations_raw);
        if (!choice.images_raw.empty()) write_list(writer_.key("images"), choice.images_raw);
        if (!choice.audio_raw.empty()) writer_.key("audio").raw(joined_audio(choice.audio_raw));
        writer_.end_object();
    }

    std::string_view text_of(const timeline::Answer::Choice& choice) const {
        const std::string_view all = choice.text_escaped;
        return style_.interim_text == ChatStyle::InterimText::apart
                   ? all.substr(choice.interim_bytes)
                   : all;
    }

    void write_tool_calls(const std::vector<timeline::Answer::ToolCall>& calls) {
        writer_.key("tool_calls").begin_array();
        for (const auto& call : calls) {
            writer_.begin_object().key("id").string(call.id).key("type").string("function");
            writer_.key("function").begin_object();
            writer_.key("name").string(call.name).key("arguments").escaped(call.arguments_escaped);
            writer_.end_object().end_object();
        }
        writer_.end_array();
    }

    void write_list(json::Writer& writer, const std::vector<std::string>& raws) {
        writer.begin_array();
        for (const std::string& raw : raws) {
            if (out_.back() != '[') out_ += ',';
            json::append_compact(out_, raw);
        }
        writer.end_array();
    }

    void write_logprobs(const timeline::Answer::Choice& choice) {
        if (!choice.logprobs_raw.empty())
            writer_.key("logprobs").raw(joined_logprobs(choice.logprobs_raw));
        else if (style_.logprobs == ChatStyle::Logprobs::always)
            writer_.key("logprobs").null();
    }

    const Envelope& envelope_;
    const ChatStyle& style_;
    std::string out_;
    json::Writer writer_{out_};
};

}  // namespace

std::string whole_answer(const Envelope& envelope, const ChatStyle& style,
                         const timeline::Answer& answer) {
    return AnswerWriter(envelope, style).write(answer);
}

}  // namespace runnel::dialect
