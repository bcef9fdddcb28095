#pragma once

#include "access/key.hpp"

#include <chrono>

namespace runnel::exchange {

inline access::UtcTime utc_now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace runnel::exchange
