#include "policy/cache_key.hpp"

#include "base/is_in.hpp"
#include "base/sha256.hpp"
#include "json/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace runnel::policy {
namespace {

// These change how an answer travels or who is told of it, but not what it is. Who else may give it
// does: a fallback's answer is for those who asked for one.
constexpr std::array<std::string_view, 20> without_effect{"model",
                                                          "stream",
                                                          "stream_options",
                                                          "user",
                                                          "metadata",
                                                          "store",
                                                          "safety_identifier",
                                                          "prompt_cache_key",
                                                          "service_tier",
                                                          "stream_dialect",
                                                          "retries",
                                                          "timeout",
                                                          "load_balance",
                                                          "idempotency_key",
                                                          "echo_model",
                                                          "strict_model",
                                                          "guardrails",
                                                          "servertool_results",
                                                          "tool_events",
                                                          "hold"};

bool has_effect(const chat::Field& field) { return !is_in(field.name, without_effect); }

// With its length before it, so that no two lists of parts read the same.
void add(std::string& text, std::string_view part) {
    text += fmt::format("{}:", part.size());
    text += part;
}

}  // namespace

std::string cache_key(const chat::Request& request, const CacheScope& scope) {
    std::vector<const chat::Field*> fields;
    for (const chat::Field& field : request.fields)
        if (has_effect(field)) fields.push_back(&field);
    std::ranges::sort(fields, {},
                      [](const chat::Field* field) -> const std::string& { return field->name; });
    std::string text;
    for (const std::string_view part : {scope.account, scope.model, scope.system, scope.guardrails})
        add(text, part);
    std::string compact;
    for (const chat::Field* field : fields) {
        compact.clear();
        json::append_compact(compact, field->raw);
        add(text, field->name);
        add(text, compact);
    }
    // Said within a field that goes on without it.
    if (request.gateway.heal_attempts) add(text, "healed");
    return in_hexadecimal(sha256(text));
}

bool may_be_cached(const chat::Request& request) {
    return request.tools.empty() && request.gateway.builtin_tools.empty();
}

}  // namespace runnel::policy
