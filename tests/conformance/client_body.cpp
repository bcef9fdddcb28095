#include "client_body.hpp"

#include "client_parts.hpp"
#include "plain_json.hpp"

#include <set>

namespace runnel::conformance {
namespace {

class Reader {
public:
    explicit Reader(const ExpectedEnvelope& expected)
        : expected_(expected),
          rules_(rules_of(expected.dialect)) {}

    ClientBody read(std::string_view bytes) {
        const Json value = Json::parse(bytes, nullptr, false);
        if (!value.is_object())
            violation("no JSON object: " + std::string(bytes.substr(0, 80)));
        else if (value.contains("error"))
            error(value);
        else
            completion(value);
        for (const std::string& word : provider_words_in(bytes, rules_))
            violation("a provider's word: " + word);
        return std::move(body_);
    }

private:
    void error(const Json& value) {
        if (value.size() != 1) violation("an error with other keys beside it");
        body_.answer.failed = true;
        body_.answer.failure = read_client_error(value["error"].dump(), body_.violations);
    }

    void completion(const Json& value) {
        std::set<std::string> keys = {"id", "object", "created", "model", "choices", "usage"};
        if (rules_.is_timeline()) keys.insert("system_fingerprint");
        only_keys(value, keys, keys);
        if (field(value, "id") != expected_.id) violation("id " + field(value, "id").dump());
        if (field(value, "object") != "chat.completion")
            violation("object " + field(value, "object").dump());
        if (field(value, "created") != expected_.created)
            violation("created " + field(value, "created").dump());
        if (field(value, "model") != expected_.model)
            violation("model " + field(value, "model").dump());
        if (!field(value, "choices").is_array() || field(value, "choices").empty())
            return violation("no choices");
        int next = 0;
        for (const Json& choice : value["choices"]) read_choice(choice, next++);
        if (field(value, "usage").is_object())
            body_.answer.usage = read_client_usage(value["usage"].dump(), rules_, body_.violations);
    }

    void read_choice(const Json& wire, int position) {
        static const std::set<std::string> reasons = {"stop", "length", "tool_calls",
                                                      "content_filter"};
        const std::set<std::string> keys = {"index", "message", "logprobs", "finish_reason"};
        only_keys(wire, keys, keys);
        if (field(wire, "index") != position) violation("index " + field(wire, "index").dump());
        Choice& choice = body_.answer.choices[position];
        choice.finish = text_field(wire, "finish_reason");
        if (!reasons.contains(choice.finish)) violation("finish_reason " + choice.finish);
        read_message(field(wire, "message"), choice);
    }

    void read_message(const Json& message, Choice& choice) {
        only_keys(message,
                  {"role", "content", std::string(rules_.reasoning_key), "refusal", "tool_calls",
                   "annotations", "citations", "images", "audio"},
                  {"role", "content", "refusal", "annotations"});
        if (field(message, "role") != "assistant")
            violation("role " + field(message, "role").dump());
        choice.text = text_field(message, "content");
        choice.reasoning = text_field(message, rules_.reasoning_key.data());
        choice.refusal = text_field(message, "refusal");
        const Json& calls = field(message, "tool_calls");
        if (message.contains("tool_calls") && (!calls.is_array() || calls.empty()))
            return violation("tool_calls is no array of calls");
        if (calls.is_array())
            for (const Json& call : calls) read_call(call, choice);
        const bool only_calls = choice.text.empty() && !choice.tool_calls.empty();
        if (only_calls && !field(message, "content").is_null())
            violation("content is not null beside calls alone");
        if (!field(message, "content").is_null() && !field(message, "content").is_string())
            violation("content is no text: " + message["content"].dump().substr(0, 80));
    }

    void read_call(const Json& wire, Choice& choice) {
        only_keys(wire, {"id", "type", "function"}, {"id", "type", "function"});
        const Json& function = field(wire, "function");
        only_keys(function, {"name", "arguments"}, {"name", "arguments"});
        if (field(wire, "type") != "function") violation("tool call type " + wire.dump());
        if (text_field(wire, "id").empty()) violation("a tool call without id");
        if (text_field(function, "name").empty()) violation("a tool call without name");
        if (!field(function, "arguments").is_string()) violation("arguments are no text");
        choice.tool_calls.push_back({.id = text_field(wire, "id"),
                                     .name = text_field(function, "name"),
                                     .arguments = text_field(function, "arguments")});
    }

    void only_keys(const Json& object, const std::set<std::string>& allowed,
                   const std::set<std::string>& required) {
        if (!object.is_object()) return violation("no object: " + object.dump().substr(0, 80));
        for (const auto& [key, value] : object.items())
            if (!allowed.contains(key))
                violation("the key " + key + " in " + object.dump().substr(0, 80));
        for (const std::string& key : required)
            if (!object.contains(key))
                violation("no key " + key + " in " + object.dump().substr(0, 80));
    }

    void violation(std::string what) { body_.violations.push_back(std::move(what)); }

    const ExpectedEnvelope& expected_;
    ClientRules rules_;
    ClientBody body_;
};

}  // namespace

ClientBody read_client_body(std::string_view bytes, const ExpectedEnvelope& expected) {
    return Reader(expected).read(bytes);
}

std::string ClientBody::report() const {
    std::string lines;
    for (const std::string& violation : violations) lines += "  " + violation + "\n";
    return lines;
}

}  // namespace runnel::conformance
