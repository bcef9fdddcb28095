#include "api/ollama/answer.hpp"

#include "api/chat/answer_parts.hpp"
#include "api/tool_arguments.hpp"
#include "base/utc_time.hpp"
#include "base/utf8.hpp"
#include "json/writer.hpp"

#include <chrono>
#include <utility>

namespace runnel::api::ollama {
namespace {

using timeline::Answer;

std::string_view done_reason(const Ending& ending) {
    if (ending.asked == Asked::nothing) return "load";
    switch (ending.finish) {
        case timeline::Finish::length: return "length";
        case timeline::Finish::content_filter: return "content_filter";
        case timeline::Finish::stop:
        case timeline::Finish::tool_calls:
        case timeline::Finish::pause: return "stop";
    }
    return "stop";
}

void write_logprobs(std::string& out, const Answer::Choice& choice) {
    std::string tokens;
    const auto add = [&](const auto& item) {
        for (const timeline::Event& event : item.logprobs.events())
            append_tokens(tokens, std::get<timeline::Logprobs>(event));
    };
    choice.for_each<Answer::Text>(add);
    choice.for_each<Answer::Refusal>(add);
    if (!tokens.empty()) json::Writer(out).key("logprobs").begin_array().raw(tokens).end_array();
}

}  // namespace

std::string object_begin(const Envelope& envelope) {
    const std::chrono::sys_seconds created{std::chrono::seconds(envelope.created)};
    std::string out;
    json::Writer(out)
        .begin_object()
        .key("model")
        .string(envelope.model)
        .key("created_at")
        .string(write_utc_time(created));
    return out;
}

void append_call(std::string& out, int index, std::string_view id, std::string_view name,
                 std::string_view arguments_escaped) {
    json::Writer writer(out);
    writer.begin_object().key("id").string(id).key("function").begin_object();
    writer.key("index").number(index).key("name").string(name).key("arguments");
    write_arguments_object(writer, arguments_escaped);
    writer.end_object().end_object();
}

Asked what_was_asked(const Envelope& envelope) {
    const bool nothing = envelope.request != nullptr && !asks_for_words(*envelope.request);
    return nothing ? Asked::nothing : Asked::words;
}

void append_end(std::string& out, const Ending& ending, const Took* measured) {
    const Took took = measured != nullptr ? *measured : Took{};
    const std::optional<timeline::Usage>& usage = ending.usage;
    json::Writer writer(out);
    writer.key("done").boolean(true).key("done_reason").string(done_reason(ending));
    writer.key("total_duration").number(took.total.count()).key("load_duration").number(0);
    if (usage) writer.key("prompt_eval_count").number(usage->input());
    writer.key("prompt_eval_duration").number(took.until_first.count());
    if (usage) writer.key("eval_count").number(usage->output);
    writer.key("eval_duration").number((took.total - took.until_first).count()).end_object();
}

std::string whole_answer(const Envelope& envelope, Form form, const Answer& answer) {
    const Answer::Choice none;
    const Answer::Choice& choice = answer.choices.empty() ? none : answer.choices.front();
    std::string words;
    std::string thoughts;
    std::string calls;
    int index = 0;
    for (const Answer::Item& item : choice.items) {
        if (const auto* text = std::get_if<Answer::Text>(&item)) words += text->text_escaped;
        if (const auto* refusal = std::get_if<Answer::Refusal>(&item))
            words += refusal->text_escaped;
        if (const auto* thought = std::get_if<Answer::Reasoning>(&item))
            thoughts += thought->text_escaped;
        if (const auto* call = std::get_if<Answer::ToolCall>(&item))
            append_call(calls, index++, call->id, call->name, call->arguments_escaped);
    }
    if (envelope.reasoning == Envelope::Reasoning::hidden) thoughts.clear();
    std::string out = object_begin(envelope);
    json::Writer writer(out);
    if (form == Form::chat) writer.key("message").begin_object().key("role").string("assistant");
    form == Form::chat ? writer.key("content") : writer.key("response");
    writer.escaped(words);
    if (!thoughts.empty()) writer.key("thinking").escaped(thoughts);
    if (!calls.empty()) writer.key("tool_calls").begin_array().raw(calls).end_array();
    if (form == Form::chat) writer.end_object();
    write_logprobs(out, choice);
    append_end(
        out,
        {what_was_asked(envelope), choice.finish.value_or(timeline::Finish::stop), answer.usage},
        envelope.took);
    return out;
}

std::string error_body(const Error& error) {
    std::string out;
    // It may repeat what the client sent, such as a path, and JSON is UTF-8 whatever that was.
    json::Writer(out)
        .begin_object()
        .key("error")
        .string(with_valid_utf8(error.message))
        .end_object();
    return out;
}

}  // namespace runnel::api::ollama
