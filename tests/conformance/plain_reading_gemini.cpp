#include "plain_json.hpp"
#include "plain_reading.hpp"
#include "wire_forms.hpp"

#include <array>
#include <charconv>
#include <map>
#include <set>

namespace runnel::conformance {
namespace {

// Enums arrive by name, or by number where the caller asked for numbers.
std::string reason_of(const Json& value) {
    static const std::array<std::string, 6> by_number = {"",       "STOP",       "MAX_TOKENS",
                                                         "SAFETY", "RECITATION", "OTHER"};
    if (value.is_string())
        return value == "FINISH_REASON_UNSPECIFIED" ? "" : value.get<std::string>();
    if (!value.is_number_unsigned()) return "";
    const auto number = value.get<std::size_t>();
    return number < by_number.size() ? by_number[number] : "number " + std::to_string(number);
}

// A place in the arguments: "$.recipe.ingredients[0].name" → recipe, ingredients, 0, name.
std::vector<std::string> steps_of(std::string_view path) {
    std::vector<std::string> steps;
    std::string step;
    for (const char c : path) {
        const bool separator =
            c == '$' || c == '.' || c == '[' || c == ']' || c == '\'' || c == '"';
        if (!separator) {
            step += c;
        } else if (!step.empty()) {
            steps.push_back(std::move(step));
            step.clear();
        }
    }
    if (!step.empty()) steps.push_back(std::move(step));
    return steps;
}

Json& place(Json& root, std::string_view path) {
    Json* here = &root;
    for (const std::string& step : steps_of(path)) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), number);
        const bool is_number = error == std::errc() && end == step.data() + step.size();
        here = is_number ? &(*here)[number] : &(*here)[step];
    }
    return *here;
}

void apply_partial(Json& arguments, const Json& piece) {
    Json& target = place(arguments, text_field(piece, "jsonPath"));
    if (piece.contains("stringValue")) {
        const std::string so_far = text_of(target);
        target = so_far + text_field(piece, "stringValue");
    } else if (piece.contains("numberValue")) {
        target = piece["numberValue"];
    } else if (piece.contains("boolValue")) {
        target = piece["boolValue"];
    }
}

class Reading {
public:
    Answer read(std::string_view bytes) {
        const bool whole_body = form_of(bytes) == WireForm::json_object;
        for (const WireEvent& event : events_of(bytes)) {
            const Json response = parse_or_null(event.data);
            if (!response.is_object())
                fail("not an object: " + event.data.substr(0, 80));
            else
                on(response);
            if (answer_.failed) break;
            complete_ = complete_ || whole_body;
        }
        finish();
        // An array that was never closed may have had more to say.
        const bool closed = bytes.find_last_not_of(" \r\n") == bytes.rfind(']');
        answer_.end_is_doubtful = form_of(bytes) == WireForm::json_array && !closed;
        return std::move(answer_);
    }

private:
    void on(const Json& response) {
        if (!field(response, "error").is_null())
            return fail("error: " + field(response, "error").dump().substr(0, 120));
        if (field(response, "usageMetadata").is_object())
            for (const auto& [name, value] : field(response, "usageMetadata").items())
                usage_[name] = value;
        const bool any =
            field(response, "candidates").is_array() && !response["candidates"].empty();
        if (!any && !reason_of(field(field(response, "promptFeedback"), "blockReason")).empty())
            answer_.choices[0].finish = "content_filter";
        if (!any) return;
        for (const Json& candidate : response["candidates"]) read_candidate(candidate);
    }

    void read_candidate(const Json& candidate) {
        const int index = static_cast<int>(count_field(candidate, "index").value_or(0));
        Choice& choice = answer_.choices[index];
        const Json& parts = field(field(candidate, "content"), "parts");
        if (parts.is_array())
            for (const Json& part : parts) read_part(part, index, choice);
        const Json& grounding = field(candidate, "groundingMetadata");
        searched_ = searched_ || !field(grounding, "webSearchQueries").empty() ||
                    !field(grounding, "searchEntryPoint").empty();
        const std::string reason = reason_of(field(candidate, "finishReason"));
        if (!reason.empty()) reasons_[index] = reason;
    }

    void read_part(const Json& part, int index, Choice& choice) {
        // Code execution and other server tools have parts of their own kinds, which are
        // not the client's.
        std::string& into = field(part, "thought") == true ? choice.reasoning : choice.text;
        into += text_field(part, "text");
        if (part.contains("functionCall")) function_call(part["functionCall"], index, choice);
    }

    // A call comes whole, or as a name followed by pieces of its arguments.
    void function_call(const Json& wire, int index, Choice& choice) {
        const std::string name = text_field(wire, "name");
        if (!name.empty()) {
            choice.tool_calls.push_back(
                {.id = "", .name = name, .arguments = "{}", .compare = ToolCall::Compare::value});
        } else if (!open_.contains(index)) {
            return;
        }
        ToolCall& call = choice.tool_calls.back();
        Json arguments = Json::parse(call.arguments);
        if (field(wire, "args").is_object()) arguments.update(wire["args"]);
        if (field(wire, "partialArgs").is_array())
            for (const Json& piece : wire["partialArgs"]) apply_partial(arguments, piece);
        call.arguments = arguments.dump();
        if (field(wire, "willContinue") == true)
            open_.insert(index);
        else
            open_.erase(index);
    }

    static std::string finish_of(const std::string& reason, const Choice& choice) {
        static const std::set<std::string> filters = {"SAFETY",
                                                      "RECITATION",
                                                      "BLOCKLIST",
                                                      "PROHIBITED_CONTENT",
                                                      "SPII",
                                                      "LANGUAGE",
                                                      "IMAGE_SAFETY",
                                                      "IMAGE_PROHIBITED_CONTENT",
                                                      "IMAGE_RECITATION",
                                                      "MODEL_ARMOR"};
        if (reason == "MAX_TOKENS") return "length";
        if (filters.contains(reason)) return "content_filter";
        if (!choice.tool_calls.empty()) return "tool_calls";
        if (reason == "OTHER" && choice.text.empty()) return "content_filter";
        return "stop";
    }

    static bool is_failure(const std::string& reason) {
        static const std::set<std::string> failures = {
            "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
            "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"};
        return failures.contains(reason);
    }

    void finish() {
        if (answer_.choices.empty() && !answer_.failed) fail("no candidates");
        for (auto& [index, choice] : answer_.choices) {
            if (answer_.failed) break;
            if (!choice.finish.empty()) continue;  // the prompt was blocked
            const std::string reason = reasons_[index];
            if (is_failure(reason)) fail("finishReason " + reason);
            if (reason.empty() && !complete_) fail("ended without a finishReason");
            choice.finish = finish_of(reason, choice);
        }
        if (usage_.contains("promptTokenCount") || usage_.contains("candidatesTokenCount"))
            answer_.usage = usage();
    }

    // Prompts that a search tool read are Google's, prompts that other tools read are ours.
    // Candidates leave the thoughts out, unless the total says that they do not.
    Usage usage() const {
        const auto count = [&](const char* name) { return count_field(usage_, name).value_or(0); };
        const auto tools = count("toolUsePromptTokenCount");
        const auto candidates = count("candidatesTokenCount");
        const auto thoughts = count("thoughtsTokenCount");
        const bool thoughts_inside =
            count("promptTokenCount") + candidates + tools == count("totalTokenCount");
        Usage usage;
        usage.prompt = count("promptTokenCount") + (searched_ ? 0 : tools);
        usage.completion = candidates + (thoughts_inside ? 0 : thoughts);
        usage.total = usage.prompt + usage.completion;
        usage.cached = count_field(usage_, "cachedContentTokenCount");
        usage.reasoning = count_field(usage_, "thoughtsTokenCount");
        return usage;
    }

    void fail(std::string why) {
        answer_.failed = true;
        answer_.failure = std::move(why);
    }

    Answer answer_;
    Json usage_ = Json::object();
    std::map<int, std::string> reasons_;
    std::set<int> open_;
    bool searched_ = false;
    bool complete_ = false;
};

}  // namespace

Answer read_gemini_plainly(std::string_view bytes) { return Reading().read(bytes); }

}  // namespace runnel::conformance
