#include "client_stream.hpp"

#include "client_parts.hpp"
#include "plain_json.hpp"

#include <initializer_list>
#include <map>
#include <set>

namespace runnel::conformance {
namespace {

// A frame is compact: no space outside of strings.
bool is_compact(std::string_view json) {
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
            return false;
    }
    return true;
}

bool has_keys(const Json& object, std::initializer_list<std::string_view> keys) {
    if (!object.is_object() || object.size() != keys.size()) return false;
    auto key = keys.begin();
    for (auto item = object.begin(); item != object.end(); ++item)
        if (item.key() != *key++) return false;
    return true;
}

class Reader {
public:
    explicit Reader(const ExpectedEnvelope& expected) : expected_(expected) {}

    ClientStream read(std::string_view bytes) {
        frames(bytes);
        if (!done_) violation("the stream does not end with [DONE]");
        if (stream_.answer.failed) return std::move(stream_);
        if (stream_.answer.choices.empty()) violation("neither a choice nor an error");
        for (const auto& [index, choice] : stream_.answer.choices)
            if (choice.finish.empty())
                violation("choice " + std::to_string(index) + " has no finish");
        return std::move(stream_);
    }

private:
    // data: <one line>\n\n, again and again: no other field, no comment, no carriage return.
    void frames(std::string_view bytes) {
        constexpr std::string_view prefix = "data: ";
        while (!bytes.empty()) {
            const auto end = bytes.find("\n\n");
            if (!bytes.starts_with(prefix) || end == std::string_view::npos)
                return violation("no frame: " + std::string(bytes.substr(0, 80)));
            payload(bytes.substr(prefix.size(), end - prefix.size()));
            bytes.remove_prefix(end + 2);
        }
    }

    void payload(std::string_view json) {
        ++frame_;
        if (done_) violation("a frame after [DONE]");
        if (json == "[DONE]") {
            done_ = true;
            return;
        }
        if (json.find_first_of("\r\n") != std::string_view::npos)
            violation("a line break in a frame");
        if (!is_compact(json)) violation("a frame with space in it");
        // Also refuses invalid UTF-8 and halves of surrogate pairs.
        const Json value = Json::parse(json, nullptr, false);
        if (!value.is_object())
            return violation("no JSON object: " + std::string(json.substr(0, 80)));
        if (stream_.answer.failed) violation("a frame between the error and [DONE]");
        for (const std::string& word : provider_words_in(json))
            violation("a provider's word: " + word);
        if (value.contains("error"))
            error(value);
        else
            chunk(value);
    }

    void error(const Json& frame) {
        if (frame.size() != 1) violation("an error frame with other keys");
        stream_.answer.failure = read_client_error(frame["error"].dump(), stream_.violations);
        stream_.answer.failed = true;
        if (usage_seen_) violation("an error after the usage");
        for (const auto& [index, choice] : stream_.answer.choices)
            if (!choice.finish.empty()) violation("an error after a finish");
    }

    void chunk(const Json& chunk) {
        if (expected_.include_usage
                ? !has_keys(chunk, {"id", "object", "created", "model", "choices", "usage"})
                : !has_keys(chunk, {"id", "object", "created", "model", "choices"}))
            return violation("keys of the chunk: " + chunk.dump().substr(0, 160));
        if (chunk["id"] != expected_.id) violation("id " + chunk["id"].dump());
        if (chunk["object"] != "chat.completion.chunk")
            violation("object " + chunk["object"].dump());
        if (!chunk["created"].is_number_integer() || chunk["created"] != expected_.created)
            violation("created " + chunk["created"].dump());
        if (chunk["model"] != expected_.model) violation("model " + chunk["model"].dump());
        if (usage_seen_) violation("a chunk after the usage");
        if (!chunk["choices"].is_array()) return violation("choices is no array");
        if (chunk["choices"].empty()) return usage(chunk);
        if (expected_.include_usage && !chunk["usage"].is_null())
            violation("usage beside a choice");
        if (chunk["choices"].size() != 1) violation("several choices in one chunk");
        for (const Json& choice : chunk["choices"]) read_choice(choice);
    }

    void usage(const Json& chunk) {
        usage_seen_ = true;
        if (!field(chunk, "usage").is_object())
            return violation("a chunk with no choices and no usage");
        stream_.answer.usage = read_client_usage(chunk["usage"].dump(), stream_.violations);
        for (const auto& [index, choice] : stream_.answer.choices)
            if (choice.finish.empty()) violation("usage before the finish");
    }

    void read_choice(const Json& wire) {
        if (!has_keys(wire, {"index", "delta", "finish_reason"}) &&
            !has_keys(wire, {"index", "delta", "logprobs", "finish_reason"}))
            return violation("keys of the choice: " + wire.dump().substr(0, 160));
        if (!wire["index"].is_number_integer() || wire["index"] < 0)
            return violation("no choice index");
        if (wire.contains("logprobs") && !wire["logprobs"].is_object())
            violation("logprobs is no object");
        const Json& delta = wire["delta"];
        if (!delta.is_object()) return violation("delta is no object");

        index_ = wire["index"];
        const bool first = !stream_.answer.choices.contains(index_);
        Choice& choice = stream_.answer.choices[index_];
        if (!choice.finish.empty()) violation("a chunk after the finish of its choice");
        if (first) return role(delta, wire["finish_reason"]);
        if (wire["finish_reason"].is_null())
            read_delta(delta, choice);
        else
            finish(delta, wire["finish_reason"], choice);
    }

    // The first chunk of a choice says who speaks and nothing else; null where a tool
    // call comes first.
    void role(const Json& delta, const Json& finish) {
        if (!has_keys(delta, {"role", "content"}) || delta["role"] != "assistant" ||
            !(delta["content"].is_null() || delta["content"] == ""))
            violation("the first chunk is no role chunk: " + delta.dump().substr(0, 120));
        if (!finish.is_null()) violation("a finish on the role chunk");
        opens_with_call_[index_] = field(delta, "content").is_null();
    }

    void finish(const Json& delta, const Json& reason, Choice& choice) {
        static const std::set<std::string> reasons = {"stop", "length", "tool_calls",
                                                      "content_filter"};
        if (!delta.empty()) violation("a finish with a delta: " + delta.dump().substr(0, 80));
        choice.finish = text_of(reason);
        if (!reasons.contains(choice.finish)) violation("finish_reason " + reason.dump());
        if (choice.finish == "stop" && !choice.tool_calls.empty())
            violation("finish_reason stop after tool calls");
        check_opening("");
        if (choice.finish == "length") return;
        for (const ToolCall& call : choice.tool_calls)
            if (call.arguments.empty())
                violation("tool call " + call.id + " ends without arguments");
    }

    void read_delta(const Json& delta, Choice& choice) {
        if (delta.size() != 1)
            return violation("keys of the delta: " + delta.dump().substr(0, 120));
        const std::string key = delta.begin().key();
        const Json& value = delta.begin().value();
        check_opening(key);
        if (key == "tool_calls") return tool_calls(value, choice);
        if (key == "annotations") return annotations(value);
        std::string* into = key == "content"             ? &choice.text
                            : key == "reasoning_content" ? &choice.reasoning
                            : key == "refusal"           ? &choice.refusal
                                                         : nullptr;
        if (!into) return violation("a delta with " + key);
        if (text_of(value).empty()) violation("a delta with an empty " + key);
        *into += text_of(value);
    }

    // The role chunk's null is a promise about the chunk after it.
    void check_opening(std::string_view key) {
        const auto promised = opens_with_call_.find(index_);
        if (promised == opens_with_call_.end()) return;
        if (promised->second != (key == "tool_calls"))
            violation("content of the role chunk is wrong for what follows");
        opens_with_call_.erase(promised);
    }

    void tool_calls(const Json& deltas, Choice& choice) {
        if (!deltas.is_array() || deltas.empty())
            return violation("tool_calls is no array of deltas");
        for (const Json& delta : deltas) tool_call(delta, choice);
    }

    // First who and what, with no arguments yet; then arguments only.
    void tool_call(const Json& delta, Choice& choice) {
        if (!field(delta, "index").is_number_integer())
            return violation("a tool call without index");
        const auto index = delta["index"].get<std::int64_t>();
        const auto known = static_cast<std::int64_t>(choice.tool_calls.size());
        if (index < 0 || index > known)
            return violation("tool call index " + std::to_string(index));
        if (index == known) return announce(delta, choice);
        const Json& function = field(delta, "function");
        if (!has_keys(delta, {"index", "function"}) || !has_keys(function, {"arguments"}))
            return violation("keys of a later tool call delta: " + delta.dump().substr(0, 120));
        const std::string piece = text_field(function, "arguments");
        if (piece.empty()) violation("an empty piece of arguments");
        choice.tool_calls[static_cast<std::size_t>(index)].arguments += piece;
    }

    void announce(const Json& delta, Choice& choice) {
        const Json& function = field(delta, "function");
        if (!has_keys(delta, {"index", "id", "type", "function"}) ||
            !has_keys(function, {"name", "arguments"}))
            violation("keys of a first tool call delta: " + delta.dump().substr(0, 120));
        if (text_field(delta, "id").empty()) violation("a tool call without id");
        if (field(delta, "type") != "function") violation("tool call type " + delta.dump());
        if (text_field(function, "name").empty()) violation("a tool call without name");
        if (field(function, "arguments") != "") violation("a tool call announced with arguments");
        choice.tool_calls.push_back({.id = text_field(delta, "id"),
                                     .name = text_field(function, "name"),
                                     .arguments = text_field(function, "arguments")});
    }

    void annotations(const Json& list) {
        if (!list.is_array() || list.empty()) return violation("annotations is no array");
        for (const Json& annotation : list) {
            const Json& citation = field(annotation, "url_citation");
            if (field(annotation, "type") != "url_citation" ||
                text_field(citation, "url").empty() || !field(citation, "title").is_string() ||
                !count_field(citation, "start_index") || !count_field(citation, "end_index"))
                violation("an annotation that SDKs refuse: " + annotation.dump().substr(0, 120));
        }
    }

    void violation(std::string what) {
        if (stream_.violations.size() < 10)
            stream_.violations.push_back("frame " + std::to_string(frame_) + ": " +
                                         std::move(what));
    }

    const ExpectedEnvelope& expected_;
    ClientStream stream_;
    std::map<int, bool> opens_with_call_;
    int index_ = 0;
    int frame_ = 0;
    bool done_ = false;
    bool usage_seen_ = false;
};

}  // namespace

ClientStream read_client_stream(std::string_view bytes, const ExpectedEnvelope& expected) {
    return Reader(expected).read(bytes);
}

std::string ClientStream::report() const {
    std::string lines;
    for (const std::string& violation : violations) lines += "  " + violation + "\n";
    return lines;
}

}  // namespace runnel::conformance
