#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace runnel {

// Mints ids that are safe in URLs and headers: prefix + 24 base-36 characters. The first 9 are the
// time, so that ids of one time lie together in a database's index; the others are 77 random bits.
// One per thread: the generator is seeded from the system and never shared.
class IdSource {
public:
    IdSource();
    explicit IdSource(std::uint64_t seed)
        : engine_(seed) {}  // repeatable, for tests and `transcode`: all of it random

    std::string next(std::string_view prefix);

private:
    enum class Beginning { random, time };

    std::mt19937_64 engine_;
    Beginning begins_with_ = Beginning::random;
};

}  // namespace runnel
