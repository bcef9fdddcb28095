#include "base/sha256.hpp"

#include <openssl/evp.h>

#include <array>

namespace runnel {

Sha256::Sha256() : digest_(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr);
}

void Sha256::Free::operator()(evp_md_ctx_st* digest) const { EVP_MD_CTX_free(digest); }

Sha256& Sha256::add(std::string_view text) {
    EVP_DigestUpdate(digest_.get(), text.data(), text.size());
    return *this;
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(digest_.get(), bytes.data(), &size);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(std::size_t{size} * 2);
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

}  // namespace runnel
