#pragma once

#include "base/base64.hpp"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace runnel::testing {

// An RSA key that is made for a test, as PEM, and what it has signed.
class RsaKey {
public:
    std::string pem() const {
        unsigned char* der = nullptr;
        const int size = i2d_PrivateKey(key_.get(), &der);
        const std::string bytes(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
        OPENSSL_free(der);
        return "-----BEGIN RSA PRIVATE KEY-----\n" + base64(bytes) +
               "\n-----END RSA PRIVATE KEY-----\n";
    }

    // Whether the JSON Web Token is signed with it.
    bool has_signed(std::string_view jwt) const {
        const std::size_t dot = jwt.rfind('.');
        std::string signature;
        if (dot == std::string_view::npos || !append_decoded_base64(signature, jwt.substr(dot + 1)))
            return false;
        const std::unique_ptr<EVP_MD_CTX, Free> check(EVP_MD_CTX_new());
        return EVP_DigestVerifyInit(check.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
               EVP_DigestVerify(
                   check.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                   signature.size(), reinterpret_cast<const unsigned char*>(jwt.data()), dot) == 1;
    }

private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
        void operator()(EVP_MD_CTX* check) const { EVP_MD_CTX_free(check); }
    };
    std::unique_ptr<EVP_PKEY, Free> key_{
        EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048})};
};

// The claims, or with part 0 the header, of a token.
inline std::string jwt_part(std::string_view jwt, int part) {
    for (; part > 0; --part) jwt.remove_prefix(jwt.find('.') + 1);
    std::string text;
    append_decoded_base64(text, jwt.substr(0, jwt.find('.')));
    return text;
}

}  // namespace runnel::testing
