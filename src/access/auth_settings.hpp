#pragma once

#include <string>
#include <vector>

namespace runnel::access {

// Who may ask at all.
struct AuthSettings {
    enum class Mode { open, keys, header } mode = Mode::open;
    std::string header = "x-wallet-address";
    // A header alone is enough, or it must come with the key that is bound to it.
    enum class Wallet { free, required } wallet = Wallet::free;
    bool lenient_addresses = false;  // placeholders such as 0xYourAddress pass too
    bool key_in_query = false;       // ?api-key=
    bool really = false;  // open to whoever reaches an address that is not this machine's alone
    // That an unproven wallet may have run here, by their names in `tools`.
    std::vector<std::string> wallet_tools{};
};

}  // namespace runnel::access
