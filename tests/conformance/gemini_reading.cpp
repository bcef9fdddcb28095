#include "api_reading.hpp"
#include "shape.hpp"

#include <map>

// A strict reader of Gemini's API, in events and as an array.
namespace runnel::conformance {
namespace {

class GeminiReader {
public:
    GeminiReader(const ExpectedEnvelope& expected, std::vector<std::string>* violations)
        : expected_(expected),
          shape_(violations) {}

    Answer read_stream(std::string_view bytes) {
        expected_.dialect == "gemini-array" ? read_array(bytes) : read_events(bytes);
        shape_.check(answer_.failed || finished_, "the stream does not end", Json());
        return std::move(answer_);
    }

    Answer read_body(std::string_view bytes) {
        read_object(Json::parse(bytes, nullptr, false));
        shape_.check(answer_.failed || finished_, "an answer without a finish", Json());
        return std::move(answer_);
    }

private:
    void read_events(std::string_view bytes) {
        for (const NamedEvent& event : named_events(bytes, shape_)) {
            shape_.check(event.name.empty(), "an event with a name", Json(event.name));
            read_object(Json::parse(event.data, nullptr, false));
        }
    }

    // Each element begins a line, so that it can be read as it comes.
    void read_array(std::string_view bytes) {
        const Json all = Json::parse(bytes, nullptr, false);
        shape_.check(all.is_array() && bytes.starts_with("[{") && bytes.ends_with("}]\n"),
                     "no array of objects", all);
        std::size_t lines = 0;
        for (const char c : bytes) lines += c == '\n' ? 1 : 0;
        shape_.check(lines == all.size(), "elements are not on lines of their own", all);
        for (const Json& object : all) read_object(object);
    }

    void read_object(const Json& object) {
        shape_.check(!answer_.failed && !finished_, "something after the end", object);
        if (object.is_object() && object.contains("error")) return read_error(object);
        shape_.members(object, "the answer", {"candidates", "modelVersion", "responseId"},
                       {"usageMetadata"});
        shape_.check(field(object, "responseId") == expected_.id, "responseId", object);
        shape_.check(field(object, "modelVersion") == expected_.model, "modelVersion", object);
        const Json& candidates = field(object, "candidates");
        shape_.check(candidates.is_array() && !candidates.empty(), "no candidates", object);
        std::size_t ends = 0;
        for (const Json& candidate : candidates) ends += read_candidate(candidate) ? 1 : 0;
        // All of them end in the last object.
        shape_.check(ends == 0 || ends == answer_.choices.size(), "some have ended", object);
        finished_ = ends > 0;
        if (object.contains("usageMetadata")) read_usage(object["usageMetadata"]);
    }

    // Whether it ends here.
    bool read_candidate(const Json& candidate) {
        shape_.members(candidate, "the candidate", {"content", "index"},
                       {"finishReason", "groundingMetadata", "logprobsResult"});
        const auto index = static_cast<int>(shape_.count(candidate, "index"));
        Choice& choice = answer_.choices[index];
        const Json& content = field(candidate, "content");
        shape_.members(content, "the content", {"role", "parts"});
        shape_.check(field(content, "role") == "model", "role", content);
        shape_.check(field(content, "parts").is_array() && !field(content, "parts").empty(),
                     "no parts", candidate);
        for (const Json& part : field(content, "parts")) read_part(part, choice);
        if (!candidate.contains("finishReason")) return false;
        const std::string reason = text_field(candidate, "finishReason");
        choice.finish = reason == "STOP"         ? choice.tool_calls.empty() ? "stop" : "tool_calls"
                        : reason == "MAX_TOKENS" ? "length"
                        : reason == "SAFETY"     ? "content_filter"
                                                 : "";
        shape_.check(!choice.finish.empty(), "finishReason", candidate);
        return true;
    }

    void read_part(const Json& part, Choice& choice) {
        const std::vector<std::string> more = {"thoughtSignature"};
        if (part.contains("thoughtSignature")) shape_.some_text(part, "thoughtSignature");
        if (part.contains("functionCall")) {
            shape_.members(part, "the part", {"functionCall"}, more);
            return read_call(part["functionCall"], choice);
        }
        if (part.contains("inlineData") || part.contains("fileData"))
            return shape_.members(part, "the part", {},
                                  {"inlineData", "fileData", "thoughtSignature"});
        shape_.members(part, "the part", {"text"}, {"thought", "thoughtSignature"});
        shape_.check(field(part, "text").is_string(), "text", part);
        const bool is_thought = part.contains("thought");
        shape_.check(!is_thought || part["thought"] == true, "thought", part);
        (is_thought ? choice.reasoning : choice.text) += text_field(part, "text");
    }

    void read_call(const Json& call, Choice& choice) {
        shape_.members(call, "the call", {"id", "name", "args"});
        shape_.check(field(call, "args").is_object(), "args are no object", call);
        choice.tool_calls.push_back({.id = shape_.some_text(call, "id"),
                                     .name = shape_.some_text(call, "name"),
                                     .arguments = arguments_in(field(call, "args")),
                                     .compare = ToolCall::Compare::value});
    }

    void read_usage(const Json& usage) {
        shape_.members(usage, "usageMetadata",
                       {"promptTokenCount", "candidatesTokenCount", "totalTokenCount"},
                       {"thoughtsTokenCount", "cachedContentTokenCount"});
        Usage read;
        read.prompt = shape_.count(usage, "promptTokenCount");
        read.completion = shape_.count(usage, "candidatesTokenCount");
        read.total = shape_.count(usage, "totalTokenCount");
        if (usage.contains("thoughtsTokenCount")) {
            read.reasoning = shape_.count(usage, "thoughtsTokenCount");
            read.completion += *read.reasoning;
        }
        if (usage.contains("cachedContentTokenCount"))
            read.cached = shape_.count(usage, "cachedContentTokenCount");
        shape_.check(read.total == read.prompt + read.completion, "does not add up", usage);
        answer_.usage = read;
    }

    void read_error(const Json& object) {
        shape_.members(object, "the error", {"error"});
        const Json& error = object["error"];
        shape_.members(error, "the error", {"code", "message", "status"}, {"details"});
        shape_.check(field(error, "code").is_number_integer(), "code", object);
        shape_.some_text(error, "status");
        answer_.failed = true;
        answer_.failure = shape_.some_text(error, "message");
    }

    const ExpectedEnvelope& expected_;
    Shape shape_;
    Answer answer_;
    bool finished_ = false;
};

}  // namespace

ClientStream read_gemini_stream(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientStream stream;
    stream.answer = GeminiReader(expected, &stream.violations).read_stream(bytes);
    return stream;
}

ClientBody read_gemini_body(std::string_view bytes, const ExpectedEnvelope& expected) {
    ClientBody body;
    body.answer = GeminiReader(expected, &body.violations).read_body(bytes);
    return body;
}

}  // namespace runnel::conformance
