#pragma once

#include "json/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace runnel::provider {

using json::for_each_element;
using json::for_each_field;
using json::is_true;

// A number of tokens; what is no number leaves `out` alone. Far above any real count, and far
// enough from the end of the type that sums can't overflow, it is cut off.
inline void read_count(json::ondemand::value value, std::optional<std::int64_t>& out) {
    constexpr std::int64_t count_max = 1'000'000'000'000;
    std::int64_t count = 0;
    if (json::integer(value, count)) out = std::clamp<std::int64_t>(count, 0, count_max);
}

}  // namespace runnel::provider
