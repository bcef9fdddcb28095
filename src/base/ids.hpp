#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace runnel {

// Mints ids that are safe in URLs and headers: prefix + 24 base-36 characters, 124 random bits. One
// per thread: the generator is seeded from the system and never shared.
class IdSource {
public:
    IdSource();
    explicit IdSource(std::uint64_t seed)
        : engine_(seed) {}  // repeatable, for tests and `transcode`

    std::string next(std::string_view prefix);

private:
    std::mt19937_64 engine_;
};

}  // namespace runnel
