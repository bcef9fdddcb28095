#include "dialect/dialect.hpp"
#include "dialect/openai_parts.hpp"
#include "dialect/openai_request.hpp"
#include "dialect/openai_stream.hpp"
#include "dialect/registry.hpp"
#include "json/writer.hpp"

namespace runnel::dialect {
namespace {

void write_tool_calls(json::Writer& writer, const std::vector<timeline::Answer::ToolCall>& calls) {
    writer.key("tool_calls").begin_array();
    for (const auto& call : calls) {
        writer.begin_object().key("id").string(call.id).key("type").string("function");
        writer.key("function").begin_object();
        writer.key("name").string(call.name).key("arguments").escaped(call.arguments_escaped);
        writer.end_object().end_object();
    }
    writer.end_array();
}

void write_annotations(json::Writer& writer, std::string& out,
                       const timeline::Answer::Choice& choice) {
    writer.key("annotations").begin_array();
    for (const std::string& raw : choice.annotations_raw) {
        if (out.back() != '[') out += ',';
        json::append_compact(out, raw);
    }
    writer.end_array();
}

class OpenAi final : public Dialect {
public:
    std::string_view name() const override { return "openai"; }

    Result<chat::Request> read_request(std::string body, json::Parser* parser) const override {
        return read_openai_request(std::move(body), parser);
    }

    std::unique_ptr<Encoder> make_encoder(const Envelope& envelope,
                                          std::string* out) const override {
        return std::make_unique<OpenAiStream>(envelope, out);
    }

    std::string write_answer(const Envelope& envelope,
                             const timeline::Answer& answer) const override {
        std::string out;
        json::Writer writer(out);
        writer.begin_object();
        writer.key("id").string(envelope.id);
        writer.key("object").string("chat.completion");
        writer.key("created").number(envelope.created);
        writer.key("model").string(envelope.model);
        writer.key("choices").begin_array();
        for (std::size_t i = 0; i < answer.choices.size(); ++i) {
            writer.begin_object().key("index").number(static_cast<std::int64_t>(i));
            write_message(writer, out, answer.choices[i], envelope.reasoning);
            if (!answer.choices[i].logprobs_raw.empty())
                writer.key("logprobs").raw(joined_logprobs(answer.choices[i].logprobs_raw));
            const auto finish = answer.choices[i].finish.value_or(timeline::Finish::stop);
            writer.key("finish_reason").string(timeline::name_of(finish)).end_object();
        }
        writer.end_array();
        // Clients read usage without looking: a provider that counted nothing counts as zero.
        write_usage(writer.key("usage"), answer.usage.value_or(timeline::Usage{}));
        writer.end_object();
        return out;
    }

    std::string error_body(const Error& error) const override {
        const ErrorShape shape = shape_of(error.kind);
        std::string out;
        json::Writer writer(out);
        writer.begin_object().key("error").begin_object();
        writer.key("message").string(error.message);
        writer.key("type").string(shape.type);
        writer.key("param");
        error.param.empty() ? writer.null() : writer.string(error.param);
        writer.key("code").string(shape.code);
        writer.end_object().end_object();
        return out;
    }

private:
    static void write_message(json::Writer& writer, std::string& out,
                              const timeline::Answer::Choice& choice,
                              Envelope::Reasoning reasoning) {
        writer.key("message").begin_object();
        writer.key("role").string("assistant").key("content");
        const bool something_else = !choice.tool_calls.empty() || !choice.refusal_escaped.empty();
        if (!choice.has_text && something_else)
            writer.null();
        else
            writer.escaped(choice.text_escaped);
        if (!choice.reasoning_escaped.empty() && reasoning == Envelope::Reasoning::shown)
            writer.key("reasoning_content").escaped(choice.reasoning_escaped);
        if (!choice.refusal_escaped.empty()) writer.key("refusal").escaped(choice.refusal_escaped);
        if (!choice.tool_calls.empty()) write_tool_calls(writer, choice.tool_calls);
        if (!choice.annotations_raw.empty()) write_annotations(writer, out, choice);
        writer.end_object();
    }
};

}  // namespace

const Dialect& openai() {
    static const OpenAi dialect;
    return dialect;
}

}  // namespace runnel::dialect
