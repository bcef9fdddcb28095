#include "api_reading.hpp"

#include "shape.hpp"

#include <algorithm>
#include <utility>

namespace runnel::conformance {
namespace {

bool is_gemini(std::string_view dialect) { return dialect.starts_with("gemini"); }

// These APIs have one answer.
void keep_first_choice(Answer& answer) {
    std::erase_if(answer.choices, [](const auto& entry) { return entry.first != 0; });
    answer.choices[0];
}

}  // namespace

ClientStream read_any_stream(std::string_view bytes, const ExpectedEnvelope& expected) {
    if (expected.dialect == "messages") return read_messages_stream(bytes, expected);
    if (expected.dialect == "responses") return read_responses_stream(bytes, expected);
    return is_gemini(expected.dialect) ? read_gemini_stream(bytes, expected)
                                       : read_client_stream(bytes, expected);
}

ClientBody read_any_body(std::string_view bytes, const ExpectedEnvelope& expected) {
    if (expected.dialect == "messages") return read_messages_body(bytes, expected);
    if (expected.dialect == "responses") return read_responses_body(bytes, expected);
    return is_gemini(expected.dialect) ? read_gemini_body(bytes, expected)
                                       : read_client_body(bytes, expected);
}

const std::vector<std::string_view>& dialects_of_other_apis() {
    static const std::vector<std::string_view> names = {"messages", "responses", "gemini",
                                                        "gemini-array"};
    return names;
}

const std::vector<std::string_view>& all_dialects() {
    static const std::vector<std::string_view> names = {"openai",    "timeline",    "agent",
                                                        "agent-raw", "messages",    "responses",
                                                        "gemini",    "gemini-array"};
    return names;
}

bool is_own_api(std::string_view from, std::string_view dialect) {
    const bool sells_claude = from == "anthropic" || from == "bedrock" || from == "vertex";
    const bool sells_gemini = from == "gemini" || from == "vertex";
    return (sells_claude && dialect == "messages") || (sells_gemini && is_gemini(dialect));
}

Answer as_told_in(std::string_view dialect, Form form, Answer answer) {
    if (std::ranges::find(dialects_of_other_apis(), dialect) == dialects_of_other_apis().end())
        return answer;
    if (!is_gemini(dialect)) keep_first_choice(answer);
    for (auto& [index, choice] : answer.choices) {
        if (is_gemini(dialect)) choice.text += std::exchange(choice.transcript, "");
        if (dialect != "responses") choice.text += std::exchange(choice.refusal, "");
        if (dialect != "messages" && choice.finish == "tool_calls" && choice.tool_calls.empty())
            choice.finish = "stop";
        const bool has_objects =
            is_gemini(dialect) || (dialect == "messages" && form == Form::whole);
        for (ToolCall& call : choice.tool_calls) {
            // Models write null for nothing.
            const bool says_nothing = dialect == "responses" && call.arguments.empty();
            if (says_nothing || call.arguments == "null") call.arguments = "{}";
            if (!has_objects) continue;
            call.arguments = as_object(call.arguments);
            call.compare = ToolCall::Compare::value;
        }
    }
    if (!answer.usage) return answer;
    Usage& usage = *answer.usage;
    if (dialect == "messages") usage.reasoning.reset();
    if (is_gemini(dialect)) usage.cache_write.reset();
    // Here thoughts are counted beside the rest, so that there can't be more of them than of all.
    if (is_gemini(dialect) && usage.reasoning)
        usage.reasoning = std::min(*usage.reasoning, usage.completion);
    return answer;
}

}  // namespace runnel::conformance
