#pragma once

#include <chrono>
#include <cstddef>

namespace runnel::tools {

// Of one call.
struct ToolLimits {
    std::chrono::milliseconds time{std::chrono::seconds(15)};
    std::size_t result_bytes = 64 * 1024;
    bool operator==(const ToolLimits&) const = default;
};

}  // namespace runnel::tools
