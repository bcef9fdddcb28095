#pragma once

#include "policy/key.hpp"

#include <chrono>

namespace runnel::exchange {

inline policy::UtcTime utc_now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace runnel::exchange
