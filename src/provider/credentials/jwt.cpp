#include "provider/credentials/jwt.hpp"

#include "base/base64.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>
#include <optional>

namespace runnel::provider {
namespace {

struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_MD_CTX* signing) const { EVP_MD_CTX_free(signing); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeKey>;

// The bytes between -----BEGIN …LABEL----- and its end.
std::optional<std::string> pem_block(std::string_view pem, std::string_view label) {
    const std::string label_end = fmt::format("{}-----", label);
    std::size_t at = 0;
    while ((at = pem.find("-----BEGIN ", at)) != std::string_view::npos) {
        const std::size_t line_end = std::min(pem.find('\n', at), pem.size());
        std::string_view line = pem.substr(at, line_end - at);
        while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
        at = line_end;
        if (!line.ends_with(label_end)) continue;
        const std::size_t end = pem.find("-----END ", at);
        std::string bytes;
        if (end == std::string_view::npos ||
            !append_decoded_base64(bytes, pem.substr(at, end - at)))
            return std::nullopt;
        return bytes;
    }
    return std::nullopt;
}

PrivateKey read_private_key(const Secret& pem) {
    const auto der = pem_block(pem.reveal(), "PRIVATE KEY");
    if (!der) return nullptr;
    const auto* bytes = reinterpret_cast<const unsigned char*>(der->data());
    return PrivateKey(d2i_AutoPrivateKey(nullptr, &bytes, static_cast<long>(der->size())));
}

std::optional<std::string> rs256(EVP_PKEY* key, std::string_view text) {
    const std::unique_ptr<EVP_MD_CTX, FreeKey> signing(EVP_MD_CTX_new());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (!signing || EVP_PKEY_is_a(key, "RSA") != 1 ||
        EVP_DigestSignInit(signing.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(signing.get(), nullptr, &size, bytes, text.size()) != 1)
        return std::nullopt;
    std::string signature(size, '\0');
    if (EVP_DigestSign(signing.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                       bytes, text.size()) != 1)
        return std::nullopt;
    signature.resize(size);
    return signature;
}

}  // namespace

Result<std::string> signed_jwt(std::string_view header, std::string_view claims,
                               const Secret& private_key) {
    const PrivateKey key = read_private_key(private_key);
    std::string jwt = fmt::format("{}.{}", base64url(header), base64url(claims));
    const auto signature = key ? rs256(key.get(), jwt) : std::nullopt;
    if (!signature)
        return fail(ErrorKind::upstream_auth,
                    "the gateway's private key for this provider is not an RSA key in PEM");
    return jwt.append(".").append(base64url(*signature));
}

Result<std::string> certificate_thumbprint(std::string_view pem) {
    const auto der = pem_block(pem, "CERTIFICATE");
    if (!der)
        return fail(ErrorKind::upstream_auth,
                    "the gateway's certificate for this provider is not in PEM");
    return base64url(bytes_of(sha256(*der)));
}

}  // namespace runnel::provider
