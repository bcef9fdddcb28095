#pragma once

#include <cstddef>

// How much is told of texts that others made up.
namespace runnel::telemetry {

inline constexpr std::size_t client_text_bytes = 200;  // a path, a model's name
inline constexpr std::size_t detail_bytes = 1000;
inline constexpr std::size_t attempt_detail_bytes = 200;

}  // namespace runnel::telemetry
