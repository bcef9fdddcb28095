#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace runnel {

inline bool is_in(std::string_view text, std::span<const std::string_view> names) {
    return std::ranges::find(names, text) != names.end();
}

}  // namespace runnel
