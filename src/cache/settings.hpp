#pragma once

#include "base/limits.hpp"

#include <chrono>
#include <cstddef>

namespace runnel::cache {

struct Settings {
    std::chrono::seconds ttl{limits::cache_time};
    std::size_t max_bytes = limits::cache_bytes;
    enum class SingleFlight { on, off } single_flight = SingleFlight::on;
};

}  // namespace runnel::cache
