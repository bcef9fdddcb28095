#include "tools/hook_nonce.hpp"

#include "base/log.hpp"

#include <crypt.h>

#include <array>
#include <memory>

namespace runnel::tools {
namespace {

// Low, because every call pays for it: the key is random text that nobody guesses.
constexpr unsigned long rounds_log2 = 5;

}  // namespace

std::string hook_nonce(const Secret& key) {
    if (key.empty()) return {};
    std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> salt{};
    const auto room = std::make_unique<crypt_data>();  // 32 KiB
    const char* hash = nullptr;
    if (::crypt_gensalt_rn("$2b$", rounds_log2, nullptr, 0, salt.data(), salt.size()) != nullptr)
        hash = ::crypt_rn(key.reveal().c_str(), salt.data(), room.get(), sizeof *room);
    if (hash == nullptr) {
        log::Line(log::Level::error, "this system's libcrypt can't make bcrypt hashes").write();
        return {};
    }
    return hash;
}

}  // namespace runnel::tools
