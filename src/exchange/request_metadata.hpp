#pragma once

#include "base/limits.hpp"
#include "chat/request.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace runnel::exchange {

// As much as any client of OpenAI's may send; what is longer is for tools, but not for the log.
inline constexpr std::size_t logged_metadata_bytes = 16 * limits::kib;

// The request's `metadata`, as it was sent; empty: it has none. Lives as long as the request.
inline std::string_view metadata_of(const chat::Request& request) {
    const auto field = std::ranges::find(request.fields, "metadata", &chat::Field::name);
    if (field == request.fields.end() || field->raw == "null") return {};
    return field->raw;
}

}  // namespace runnel::exchange
