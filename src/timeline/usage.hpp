#pragma once

#include <cstdint>
#include <optional>

namespace runnel::timeline {

// What an answer used, in parts that do not overlap, so that every dialect can add them up its own
// way. An absent part was not reported, which is not the same as zero.
struct Usage {
    std::int64_t fresh_input = 0;  // read by the model, neither from nor into a cache
    std::optional<std::int64_t> cache_read{};
    std::optional<std::int64_t> cache_write{};
    std::int64_t output = 0;  // everything written, reasoning and tool arguments included
    std::optional<std::int64_t> reasoning{};  // a part of output
    std::optional<std::int64_t> audio_input{};
    std::optional<std::int64_t> audio_output{};

    std::int64_t input() const {
        return fresh_input + cache_read.value_or(0) + cache_write.value_or(0);
    }
    std::int64_t total() const { return input() + output; }

    // Of another answer to the same client.
    Usage& operator+=(const Usage& other);

    friend bool operator==(const Usage&, const Usage&) = default;
};

}  // namespace runnel::timeline
