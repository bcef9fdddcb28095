#include "timeline/usage.hpp"

namespace runnel::timeline {
namespace {

using Count = std::optional<std::int64_t>;

void add(Count& count, const Count& more) {
    if (more) count = count.value_or(0) + *more;
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
    fresh_input += other.fresh_input;
    output += other.output;
    add(cache_read, other.cache_read);
    add(cache_write, other.cache_write);
    add(reasoning, other.reasoning);
    add(audio_input, other.audio_input);
    add(audio_output, other.audio_output);
    return *this;
}

}  // namespace runnel::timeline
