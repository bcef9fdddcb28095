#include "api/chat/whole_answer.hpp"

#include "api/chat/answer_parts.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace runnel::api {
namespace {

using timeline::Answer;

// What most answers fit in, so that their long text is not moved.
std::size_t size_guess(const Answer& answer) {
    std::size_t bytes = 512;
    for (const Answer::Choice& choice : answer.choices) {
        bytes += 128;
        choice.for_each<Answer::Text>([&](const auto& item) { bytes += item.text_escaped.size(); });
        choice.for_each<Answer::Reasoning>(
            [&](const auto& item) { bytes += item.text_escaped.size(); });
    }
    return bytes;
}

bool is_audio(const Answer::Media& media) { return media.kind == timeline::Media::Kind::audio; }

class AnswerWriter {
public:
    AnswerWriter(const Envelope& envelope, const ChatStyle& style)
        : envelope_(envelope),
          style_(style) {}

    std::string write(const Answer& answer) {
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
            writer_.key("finish_reason").string(finish_reason(finish)).end_object();
        }
        writer_.end_array();
        // Clients read usage without looking: a provider that counted nothing counts as zero.
        write_usage(writer_.key("usage"), answer.usage.value_or(timeline::Usage{}),
                    style_.prompt_tokens);
        writer_.end_object();
        return std::move(out_);
    }

private:
    void write_message(const Answer::Choice& choice) {
        writer_.key("message").begin_object();
        writer_.key("role").string("assistant").key("content");
        write_content(choice);
        const bool shows_reasoning = envelope_.reasoning == Envelope::Reasoning::shown;
        if (shows_reasoning && says_something<Answer::Reasoning>(choice.items))
            write_joined<Answer::Reasoning>(writer_.key(style_.reasoning_key), choice.items);
        writer_.key("refusal");
        if (says_something<Answer::Refusal>(choice.items))
            write_joined<Answer::Refusal>(writer_, choice.items);
        else
            writer_.null();
        write_annotations(choice);
        write_citations(choice);
        if (choice.has<Answer::ToolCall>()) write_tool_calls(choice);
        write_images(choice);
        write_audio(choice);
        writer_.end_object();
    }

    void write_content(const Answer::Choice& choice) {
        const std::span<const Answer::Item> items = content_items(choice);
        bool something_else =
            choice.has<Answer::ToolCall>() || says_something<Answer::Refusal>(choice.items);
        choice.for_each<Answer::Media>(
            [&](const Answer::Media& media) { something_else |= is_audio(media); });
        if (something_else && !says_something<Answer::Text>(items))
            writer_.null();
        else
            write_joined<Answer::Text>(writer_, items);
    }

    // The items whose text is the answer.
    std::span<const Answer::Item> content_items(const Answer::Choice& choice) const {
        const std::span<const Answer::Item> all = choice.items;
        if (style_.interim_text == ChatStyle::InterimText::content) return all;
        std::size_t begin = all.size();
        while (begin > 0 && !std::holds_alternative<Answer::ServerTool>(all[begin - 1])) --begin;
        return all.subspan(begin);
    }

    template <class Kind>
    static bool says_something(std::span<const Answer::Item> items) {
        return std::ranges::any_of(items, [](const Answer::Item& item) {
            const Kind* said = std::get_if<Kind>(&item);
            return said != nullptr && !said->text_escaped.empty();
        });
    }

    template <class Kind>
    void write_joined(json::Writer& writer, std::span<const Answer::Item> items) {
        writer.escaped("");
        out_.pop_back();
        for (const Answer::Item& item : items)
            if (const Kind* said = std::get_if<Kind>(&item)) out_ += said->text_escaped;
        out_ += '"';
    }

    void write_tool_calls(const Answer::Choice& choice) {
        writer_.key("tool_calls").begin_array();
        choice.for_each<Answer::ToolCall>([&](const Answer::ToolCall& call) {
            writer_.begin_object().key("id").string(call.id).key("type").string("function");
            writer_.key("function").begin_object();
            writer_.key("name").string(call.name).key("arguments").escaped(call.arguments_escaped);
            writer_.end_object().end_object();
        });
        writer_.end_array();
    }

    void write_annotations(const Answer::Choice& choice) {
        writer_.key("annotations").begin_array();
        for_each_citation(choice, [&](const timeline::Citation& citation) {
            if (!has_annotation(citation)) return;
            writer_.begin_object();
            write_annotation_members(writer_, citation);
            writer_.end_object();
        });
        writer_.end_array();
    }

    void write_citations(const Answer::Choice& choice) {
        bool open = false;
        for_each_citation(choice, [&](const timeline::Citation& citation) {
            if (has_annotation(citation)) return;
            if (!std::exchange(open, true)) writer_.key("citations").begin_array();
            writer_.begin_object();
            write_citation_members(writer_, citation);
            writer_.end_object();
        });
        if (open) writer_.end_array();
    }

    template <class Use>
    static void for_each_citation(const Answer::Choice& choice, Use use) {
        choice.for_each<Answer::Text>([&](const Answer::Text& text) {
            for (const timeline::Event& event : text.citations.events())
                use(std::get<timeline::Citation>(event));
        });
    }

    void write_images(const Answer::Choice& choice) {
        bool open = false;
        choice.for_each<Answer::Media>([&](const Answer::Media& media) {
            if (is_audio(media)) return;
            if (!std::exchange(open, true)) writer_.key("images").begin_array();
            writer_.begin_object();
            write_image_members(writer_, media.view());
            writer_.end_object();
        });
        if (open) writer_.end_array();
    }

    // There is one at most.
    void write_audio(const Answer::Choice& choice) {
        choice.for_each<Answer::Media>([&](const Answer::Media& media) {
            if (!is_audio(media)) return;
            writer_.key("audio").begin_object().key("id");
            media.id_escaped.empty() ? writer_.string(audio_id(envelope_))
                                     : writer_.escaped(media.id_escaped);
            // Where nobody keeps it, it is gone already.
            writer_.key("expires_at").number(media.expires_at.value_or(envelope_.created));
            writer_.key("data").escaped(media.data);
            writer_.key("transcript").escaped(media.transcript_escaped).end_object();
        });
    }

    void write_logprobs(const Answer::Choice& choice) {
        LogprobsObject logprobs;
        const auto add_all = [&](const auto& item) {
            for (const timeline::Event& event : item.logprobs.events())
                logprobs.add(std::get<timeline::Logprobs>(event));
        };
        choice.for_each<Answer::Text>(add_all);
        choice.for_each<Answer::Refusal>(add_all);
        if (!logprobs.empty())
            logprobs.write(writer_.key("logprobs"));
        else
            writer_.key("logprobs").null();
    }

    const Envelope& envelope_;
    const ChatStyle& style_;
    std::string out_;
    json::Writer writer_{out_};
};

}  // namespace

std::string whole_answer(const Envelope& envelope, const ChatStyle& style, const Answer& answer) {
    return AnswerWriter(envelope, style).write(answer);
}

}  // namespace runnel::api
