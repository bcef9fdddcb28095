#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace runnel::access {

// What a key may be used for.
enum class Scope { chat_write, models_read, tools_execute, logs_read, usage_read };

inline constexpr std::string_view every_scope = "*";

// In the order of Scope.
inline constexpr std::array<std::string_view, 5> scope_names = {
    "chat:write", "models:read", "tools:execute", "logs:read", "usage:read"};

constexpr std::string_view name_of(Scope scope) {
    return scope_names[static_cast<std::size_t>(scope)];
}

}  // namespace runnel::access
