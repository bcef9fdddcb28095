#include "base/sha256.hpp"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

namespace runnel {
namespace {

struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* hashing) const { EVP_MD_CTX_free(hashing); }
};

// OpenSSL looks an algorithm up under a lock: once is enough.
const EVP_MD* algorithm() {
    static const std::unique_ptr<EVP_MD, Free> found(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    return found.get();
}

}  // namespace

Digest sha256(std::string_view bytes) {
    thread_local const std::unique_ptr<EVP_MD_CTX, Free> hashing(EVP_MD_CTX_new());
    Digest digest;
    // It fails only where there is no memory, or no SHA-256 in this machine's OpenSSL.
    if (hashing == nullptr || EVP_DigestInit_ex2(hashing.get(), algorithm(), nullptr) != 1 ||
        EVP_DigestUpdate(hashing.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(hashing.get(), digest.data(), nullptr) != 1)
        std::abort();
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view message) {
    constexpr std::size_t block_bytes = 64;
    std::string block(key.size() > block_bytes ? bytes_of(sha256(key)) : key);
    block.resize(block_bytes, '\0');
    const auto padded = [&block](char pad) {
        std::string text = block;
        for (char& c : text) c = static_cast<char>(c ^ pad);
        return text;
    };
    const Digest inner = sha256(padded(0x36).append(message));
    return sha256(padded(0x5C).append(bytes_of(inner)));
}

std::string_view bytes_of(const Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

std::string in_hexadecimal(const Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * digest.size());
    for (const std::uint8_t byte : digest) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

}  // namespace runnel
