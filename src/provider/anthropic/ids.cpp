#include "provider/anthropic/ids.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace runnel::provider::anthropic {
namespace {

// FNV-1a, so that equal ids have equal stand-ins in every request: prompt caches depend on it.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

std::string legal_name(std::string_view name) {
    std::string legal(name);
    std::ranges::replace_if(
        legal, [](char c) { return !ascii::is_alphanumeric(c) && c != '_' && c != '-'; }, '_');
    return legal;
}

std::string native_call_id(std::string_view id) {
    constexpr std::string_view ours = "call_";
    constexpr std::size_t id_bytes_max = 64;
    if (id.starts_with(ours)) {
        const std::string_view rest = id.substr(ours.size());
        if (rest.starts_with("toolu_") || rest.starts_with("srvtoolu_")) id = rest;
    }
    std::string legal = legal_name(id);
    if (legal == id && !id.empty() && id.size() <= id_bytes_max) return legal;
    return fmt::format("{}_{:016x}", legal.substr(0, id_bytes_max - 17), hash_of(id));
}

}  // namespace runnel::provider::anthropic
