#include "plain_json.hpp"
#include "plain_reading.hpp"
#include "wire_forms.hpp"

namespace runnel::conformance {
namespace {

void read_message(const Json& message, Choice& choice) {
    choice.reasoning += text_field(message, "thinking");
    choice.text += text_field(message, "content");
    if (!field(message, "tool_calls").is_array()) return;
    for (const Json& call : field(message, "tool_calls")) {
        const Json& function = field(call, "function");
        const Json& arguments = field(function, "arguments");
        choice.tool_calls.push_back({.id = "",
                                     .name = text_field(function, "name"),
                                     .arguments = arguments.is_object() ? arguments.dump() : "{}",
                                     .compare = ToolCall::Compare::value});
    }
}

// Counts are on the last line; the prompt's is left out when all of it was cached.
std::optional<Usage> usage_of(const Json& last) {
    const auto prompt = count_field(last, "prompt_eval_count");
    const auto completion = count_field(last, "eval_count");
    if (!prompt && !completion) return std::nullopt;
    Usage usage{.prompt = prompt.value_or(0), .completion = completion.value_or(0)};
    usage.cached = count_field(last, "prompt_eval_cached_count");
    usage.total = usage.prompt + usage.completion;
    return usage;
}

}  // namespace

Answer read_ollama_plainly(std::string_view bytes) {
    Answer answer;
    Choice& choice = answer.choices[0];
    std::string model;
    bool done = false;
    for (const WireEvent& event : events_of(bytes)) {
        const Json line = parse_or_null(event.data);
        if (!line.is_object() || !field(line, "error").is_null()) {
            answer.failed = true;
            answer.failure = "error: " + event.data.substr(0, 120);
            break;
        }
        model = text_field(line, "model");
        read_message(field(line, "message"), choice);
        choice.text += text_field(line, "response");  // of /api/generate
        if (field(line, "done") != true) continue;
        done = true;
        answer.usage = usage_of(line);
        choice.finish = field(line, "done_reason") == "length" ? "length" : "stop";
        break;
    }
    if (thinks_in_tags("ollama", model)) take_out_think_block(choice);
    if (!done && !answer.failed) {
        answer.failed = true;
        answer.failure = "ended without done";
    }
    if (choice.finish == "stop" && !choice.tool_calls.empty()) choice.finish = "tool_calls";
    return answer;
}

}  // namespace runnel::conformance
