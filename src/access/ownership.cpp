#include "access/ownership.hpp"

#include "base/sha256.hpp"

#include <fmt/format.h>

namespace runnel::access {

std::string owner_of_state(const Caller& caller, std::string_view user, std::string_view metadata) {
    std::string_view key;
    if (caller.key != nullptr) key = caller.key->id;
    std::string_view wallet, address;
    if (key.empty()) wallet = caller.wallet;
    if (key.empty() || caller.is_browser()) address = caller.address;
    // Each with its length, so that none of them can pretend to be two.
    std::string owner;
    for (const std::string_view part : {key, wallet, address, user, metadata})
        owner += fmt::format("{}:{}", part.size(), part);
    return owner;
}

std::string owner_digest(const Caller& caller) {
    return in_hexadecimal(sha256(owner_of_state(caller, {}, {})));
}

std::string payer_of(const Caller& caller) {
    if (caller.key != nullptr)
        return caller.key->team.empty() ? "key:" + caller.key->id : "team:" + caller.key->team;
    if (caller.wallet.empty()) return {};
    return fmt::format("wallet:{}@{}", caller.wallet, caller.address);
}

}  // namespace runnel::access
