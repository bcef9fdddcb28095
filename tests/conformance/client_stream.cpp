#include "client_stream.hpp"

#include "client_parts.hpp"
#include "client_rules.hpp"
#include "client_steps.hpp"
#include "plain_json.hpp"

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

class Reader {
public:
    explicit Reader(const ExpectedEnvelope& expected)
        : expected_(expected),
          rules_(rules_of(expected.dialect)),
          steps_(rules_) {}

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
        for (const std::string& word : provider_words_in(json, rules_))
            violation("a provider's word: " + word);
        if (steps_.is_step(value))
            step(value);
        else if (value.contains("error"))
            error(value);
        else
            chunk(value);
    }

    void step(const Json& frame) {
        if (steps_.is_chunk()) envelope(frame);
        stream_.steps.push_back(steps_.read(frame, stream_.violations));
        for (const auto& [index, choice] : stream_.answer.choices)
            if (!choice.finish.empty()) violation("a tool after a finish");
    }

    void error(const Json& frame) {
        if (usage_seen_) violation("an error after the usage");
        for (const auto& [index, choice] : stream_.answer.choices)
            if (!choice.finish.empty()) violation("an error after a finish");
        stream_.answer.failed = true;
        if (rules_.error == ClientRules::Error::chunk) return error_chunk(frame);
        if (frame.size() != 1) violation("an error frame with other keys");
        stream_.answer.failure = read_client_error(frame["error"].dump(), stream_.violations);
    }

    // The finish of an answer that failed.
    void error_chunk(const Json& frame) {
        if (!has_keys(frame, {"id", "object", "created", "model", "system_fingerprint", "choices",
                              "usage", "error"}))
            return violation("keys of the error chunk: " + frame.dump().substr(0, 240));
        envelope(frame);
        const Json& error = frame["error"];
        if (!has_keys(error, {"code", "message"}) || error["code"] != "server_error" ||
            text_field(error, "message").empty())
            violation("the error: " + error.dump());
        stream_.answer.failure = text_field(error, "message");
        Json expected = Json::parse(R"([{"index":0,"delta":{"role":"assistant","content":""},)"
                                    R"("logprobs":null,"finish_reason":"error"}])");
        if (stream_.answer.choices.contains(0)) expected[0]["delta"].erase("role");
        if (frame["choices"] != expected) violation("choices of the error chunk");
        if (!frame["usage"].is_null()) violation("usage of an answer that failed");
    }

    void envelope(const Json& chunk) {
        if (field(chunk, "id") != expected_.id) violation("id " + field(chunk, "id").dump());
        if (field(chunk, "object") != "chat.completion.chunk")
            violation("object " + field(chunk, "object").dump());
        if (!field(chunk, "created").is_number_integer() ||
            field(chunk, "created") != expected_.created)
            violation("created " + field(chunk, "created").dump());
        if (field(chunk, "model") != expected_.model)
            violation("model " + field(chunk, "model").dump());
        if (rules_.is_timeline() && field(chunk, "system_fingerprint") != "fp_gw01")
            violation("system_fingerprint " + field(chunk, "system_fingerprint").dump());
        if (usage_seen_) violation("a chunk after the usage");
    }

    std::vector<std::string> keys_of(const Json& chunk) const {
        std::vector<std::string> keys = {"id", "object", "created", "model"};
        if (rules_.is_timeline()) keys.emplace_back("system_fingerprint");
        keys.emplace_back("choices");
        const bool has_usage = rules_.usage == ClientRules::Usage::on_finish_if_asked
                                   ? expected_.include_usage && field(chunk, "usage").is_object()
                                   : rules_.is_timeline() || expected_.include_usage;
        if (has_usage) keys.emplace_back("usage");
        return keys;
    }

    void chunk(const Json& chunk) {
        if (!has_keys(chunk, keys_of(chunk)))
            return violation("keys of the chunk: " + chunk.dump().substr(0, 160));
        envelope(chunk);
        if (!chunk["choices"].is_array()) return violation("choices is no array");
        const bool own_chunk = rules_.usage == ClientRules::Usage::own_chunk_if_asked;
        if (chunk["choices"].empty() && own_chunk) return usage(chunk);
        if (chunk["choices"].size() != 1) return violation("no choice, or several, in one chunk");
        read_choice(chunk["choices"][0]);
        if (field(chunk, "usage").is_null()) return;
        if (own_chunk) violation("usage beside a choice");
        usage(chunk);
    }

    void usage(const Json& chunk) {
        usage_seen_ = true;
        if (!field(chunk, "usage").is_object())
            return violation("a chunk with no choices and no usage");
        stream_.answer.usage = read_client_usage(chunk["usage"].dump(), rules_, stream_.violations);
        for (const auto& [index, choice] : stream_.answer.choices)
            if (choice.finish.empty()) violation("usage before the finish");
    }

    void read_choice(const Json& wire) {
        if (!(has_keys(wire, {"index", "delta", "finish_reason"}) && !rules_.is_timeline()) &&
            !has_keys(wire, {"index", "delta", "logprobs", "finish_reason"}))
            return violation("keys of the choice: " + wire.dump().substr(0, 160));
        if (!wire["index"].is_number_integer() || wire["index"] < 0)
            return violation("no choice index");
        if (wire.contains("logprobs") && !wire["logprobs"].is_object() &&
            !(wire["logprobs"].is_null() && rules_.is_timeline()))
            violation("logprobs is no object");
        const Json& delta = wire["delta"];
        if (!delta.is_object()) return violation("delta is no object");

        index_ = wire["index"];
        const bool first = !stream_.answer.choices.contains(index_);
        Choice& choice = stream_.answer.choices[index_];
        if (!choice.finish.empty()) violation("a chunk after the finish of its choice");
        if (announced_ == index_) violation("a chunk that only announces its own choice");
        announced_ = -1;
        if (first && rules_.role == ClientRules::Role::own_chunk)
            return role(delta, wire["finish_reason"]);
        const Json rest = first ? without_role(delta, wire["finish_reason"]) : delta;
        // A choice is announced before one that comes after it.
        if (first && wire["finish_reason"].is_null() && rest == Json{{"content", ""}}) {
            announced_ = index_;
            return;
        }
        if (wire["finish_reason"].is_null())
            read_delta(rest, choice);
        else
            finish(rest, wire["finish_reason"], choice);
    }

    // The role stands before what the choice's first chunk is about; before nothing, where the
    // finish is all there is.
    Json without_role(Json delta, const Json& finish) {
        if (delta.empty() || delta.begin().key() != "role" || delta["role"] != "assistant") {
            violation("the first chunk has no role: " + delta.dump().substr(0, 120));
            return delta;
        }
        delta.erase("role");
        if (finish.is_null()) return delta;
        if (field(delta, "content") != "") violation("the only chunk has no empty content");
        delta.erase("content");
        return delta;
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
        if (key == "images" || key == "audio" || key == "citations") return;
        std::string* into = key == "content"              ? &choice.text
                            : key == rules_.reasoning_key ? &choice.reasoning
                            : key == "refusal"            ? &choice.refusal
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

    // First who and what, with no arguments yet; then arguments only. Or all at once.
    void tool_call(const Json& delta, Choice& choice) {
        if (!field(delta, "index").is_number_integer())
            return violation("a tool call without index");
        const auto index = delta["index"].get<std::int64_t>();
        const auto known = static_cast<std::int64_t>(choice.tool_calls.size());
        if (index < 0 || index > known)
            return violation("tool call index " + std::to_string(index));
        if (index == known) return announce(delta, choice);
        if (rules_.calls == ClientRules::Calls::whole) return violation("a piece of a call");
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
        if (rules_.calls != ClientRules::Calls::whole && field(function, "arguments") != "")
            violation("a tool call announced with arguments");
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
    ClientRules rules_;
    ClientSteps steps_;
    ClientStream stream_;
    std::map<int, bool> opens_with_call_;
    int index_ = 0;
    int announced_ = -1;  // the choice of which nothing but that was said, last
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
