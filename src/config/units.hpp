#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::config {

// 800ms, 15s, 5m, 1h. The unit is never left out: 30 could be seconds or milliseconds.
std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

// 24h, 90s, 0ms: the same in the largest unit that is whole.
std::string write_duration(std::chrono::milliseconds duration);

// true and false, the way YAML writes them.
std::optional<bool> read_boolean(std::string_view text);

// A number of bytes: 4096, 256KiB, 32MiB, 1GiB, 500kB, 10MB, 1GB.
std::optional<std::size_t> read_size(std::string_view text);

}  // namespace runnel::config
