#include "provider/anthropic/ids.hpp"

#include "base/ascii.hpp"
#include "provider/core/stable_hash.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::provider::anthropic {
namespace {

std::string with_legal_characters(std::string_view id) {
    std::string legal(id);
    std::ranges::replace_if(
        legal, [](char c) { return !ascii::is_alphanumeric(c) && c != '_' && c != '-'; }, '_');
    return legal;
}

}  // namespace

std::string native_call_id(std::string_view id) {
    constexpr std::string_view ours = "call_";
    constexpr std::size_t id_bytes_max = 64;
    if (id.starts_with(ours)) {
        const std::string_view rest = id.substr(ours.size());
        if (rest.starts_with("toolu_") || rest.starts_with("srvtoolu_") ||
            rest.starts_with("tooluse_"))
            id = rest;
    }
    std::string legal = with_legal_characters(id);
    if (legal == id && !id.empty() && id.size() <= id_bytes_max) return legal;
    return fmt::format("{}_{:016x}", legal.substr(0, id_bytes_max - 17), stable_hash(id));
}

}  // namespace runnel::provider::anthropic
