#pragma once

#include <cstdint>
#include <string_view>

namespace runnel::provider {

// FNV-1a: for stand-ins of names and ids that must be the same in every request, in every process,
// because prompt caches depend on it.
constexpr std::uint64_t stable_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace runnel::provider
