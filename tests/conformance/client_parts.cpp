#include "client_parts.hpp"

#include "plain_json.hpp"

#include <algorithm>
#include <array>

namespace runnel::conformance {
namespace {

constexpr std::array<std::string_view, 34> provider_words = {"obfuscation",
                                                             "system_fingerprint",
                                                             "service_tier",
                                                             "x_groq",
                                                             "usage_breakdown",
                                                             "timings",
                                                             "native_finish_reason",
                                                             "provider",
                                                             "prompt_filter_results",
                                                             "content_filter_results",
                                                             "reasoning_details",
                                                             "reasoning",
                                                             "search_results",
                                                             "p",
                                                             "token_id",
                                                             "base_resp",
                                                             "content_block",
                                                             "content_block_delta",
                                                             "delta_type",
                                                             "tool_use",
                                                             "stop_reason",
                                                             "stop_sequence",
                                                             "partial_json",
                                                             "thinking",
                                                             "signature",
                                                             "candidates",
                                                             "functionCall",
                                                             "usageMetadata",
                                                             "thoughtSignature",
                                                             "finishReason",
                                                             "modelVersion",
                                                             "done_reason",
                                                             "eval_count"};

std::int64_t whole_number(const Json& object, const char* name,
                          std::vector<std::string>& violations) {
    const Json& value = field(object, name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0) {
        violations.push_back(std::string("usage.") + name + " is no count: " + value.dump());
        return 0;
    }
    return value.get<std::int64_t>();
}

std::optional<std::int64_t> detail(const Json& usage, const char* group, const char* name,
                                   std::vector<std::string>& violations) {
    if (!field(usage, group).contains(name)) return std::nullopt;
    return whole_number(usage[group], name, violations);
}

}  // namespace

std::vector<std::string> provider_words_in(std::string_view json, const ClientRules& rules) {
    std::vector<std::string> found;
    const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event != Json::parse_event_t::key) return true;
        const auto& key = parsed.get_ref<const std::string&>();
        if (std::ranges::find(provider_words, key) != provider_words.end() &&
            std::ranges::find(rules.own_words, key) == rules.own_words.end())
            found.push_back(key);
        return true;
    };
    static_cast<void>(Json::parse(json, look, false));
    return found;
}

Usage read_client_usage(std::string_view json, const ClientRules& rules,
                        std::vector<std::string>& violations) {
    constexpr std::array<std::string_view, 5> keys_in_order = {
        "prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details",
        "completion_tokens_details"};
    const Json usage = Json::parse(json, nullptr, false);
    std::size_t next = 0;
    for (const auto& [key, value] : usage.items()) {
        while (next < keys_in_order.size() && keys_in_order[next] != key) ++next;
        if (next == keys_in_order.size())
            violations.push_back("usage has the key " + key + ", or has it out of order");
        if (value.is_object() && value.empty()) violations.push_back("usage." + key + " is empty");
    }
    Usage read;
    read.prompt = whole_number(usage, "prompt_tokens", violations);
    read.completion = whole_number(usage, "completion_tokens", violations);
    read.total = whole_number(usage, "total_tokens", violations);
    read.cached = detail(usage, "prompt_tokens_details", "cached_tokens", violations);
    read.cache_write = detail(usage, "prompt_tokens_details", "cache_write_tokens", violations);
    read.reasoning = detail(usage, "completion_tokens_details", "reasoning_tokens", violations);
    if (rules.prompt == ClientRules::Prompt::uncached_tokens)
        read.prompt += read.cached.value_or(0) + read.cache_write.value_or(0);
    if (read.total != read.prompt + read.completion)
        violations.push_back("usage does not add up: " + std::string(json));
    if (read.cached.value_or(0) + read.cache_write.value_or(0) > read.prompt)
        violations.push_back("usage has more cached than prompt tokens: " + std::string(json));
    return read;
}

std::string read_client_error(std::string_view json, std::vector<std::string>& violations) {
    const Json error = Json::parse(json, nullptr, false);
    for (const char* key : {"message", "type", "code", "param"})
        if (!error.contains(key)) violations.push_back(std::string("error lacks ") + key);
    if (error.size() != 4) violations.push_back("error has keys of its own: " + std::string(json));
    if (text_field(error, "message").empty()) violations.push_back("error has no message");
    if (text_field(error, "type").empty()) violations.push_back("error has no type");
    for (const char* key : {"code", "param"})
        if (!field(error, key).is_null() && text_field(error, key).empty())
            violations.push_back(std::string("error.") + key + " is neither text nor null");
    return text_field(error, "message");
}

}  // namespace runnel::conformance
