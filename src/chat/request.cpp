#include "chat/request.hpp"

#include <algorithm>
#include <array>

namespace runnel::chat {
namespace {

constexpr std::array<std::string_view, 19> gateway_fields{"stream_dialect",
                                                          "fallback",
                                                          "retries",
                                                          "timeout",
                                                          "load_balance",
                                                          "guardrails",
                                                          "json_only",
                                                          "response_schema",
                                                          "builtin_tools",
                                                          "tool_invocation_explanations",
                                                          "prompt",
                                                          "idempotency_key",
                                                          "include_reasoning",
                                                          "echo_model",
                                                          "strict_model",
                                                          "extra_body",
                                                          "servertool_results",
                                                          "tool_events",
                                                          "hold"};

constexpr std::array<std::string_view, 7> efforts{"none", "minimal", "low", "medium",
                                                  "high", "xhigh",   "max"};

}  // namespace

bool Request::has(std::string_view field) const {
    return std::ranges::any_of(fields, [&](const Field& f) { return f.name == field; });
}

bool is_gateway_field(std::string_view name) {
    return std::ranges::find(gateway_fields, name) != gateway_fields.end();
}

std::string_view name_of(Role role) {
    switch (role) {
        case Role::system: return "system";
        case Role::developer: return "developer";
        case Role::user: return "user";
        case Role::assistant: return "assistant";
        case Role::tool: return "tool";
    }
    return "user";
}

std::string_view name_of(Effort effort) { return efforts[static_cast<std::size_t>(effort)]; }

std::int64_t thinking_tokens(Effort effort) {
    switch (effort) {
        case Effort::none: return 0;
        case Effort::minimal:
        case Effort::low: return 1024;
        case Effort::medium: return 2048;
        case Effort::high: return 4096;
        case Effort::xhigh: return 8192;
        case Effort::max: return 16384;
    }
    return 0;
}

std::optional<Effort> effort_named(std::string_view name) {
    const auto found = std::ranges::find(efforts, name);
    if (found == efforts.end()) return std::nullopt;
    return static_cast<Effort>(found - efforts.begin());
}

}  // namespace runnel::chat
