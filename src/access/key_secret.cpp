#include "access/key_secret.hpp"

#include "base/sha256.hpp"

#include <openssl/rand.h>

#include <array>

namespace runnel::access {
namespace {

constexpr std::string_view letters =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t length = 43;  // 62^43 > 2^256
constexpr std::size_t shown = 4;    // of them, at each end

// Every letter equally often: bytes beyond the last whole round of the alphabet are left out.
constexpr std::size_t fair_bytes = 256 / letters.size() * letters.size();

std::string_view prefix_of(Key::Kind kind) { return kind == Key::Kind::browser ? "pk-" : "rk-"; }

}  // namespace

std::string hash_of_secret(std::string_view secret) { return in_hexadecimal(sha256(secret)); }

std::string masked_secret(std::string_view secret) {
    const std::size_t begin = secret.find('-') + 1;  // none: the text's beginning
    if (secret.size() < begin + 4 * shown) return "...";
    std::string masked(secret.substr(0, begin + shown));
    masked += "...";
    masked += secret.substr(secret.size() - shown);
    return masked;
}

Result<Secret> give_secret(Key* key) {
    std::string secret(prefix_of(key->kind));
    const std::size_t size = secret.size() + length;
    std::array<unsigned char, 64> random;
    while (secret.size() < size) {
        if (RAND_priv_bytes(random.data(), random.size()) != 1)
            return fail(ErrorKind::internal_error, "the system has no randomness to give");
        for (const unsigned char byte : random)
            if (byte < fair_bytes && secret.size() < size) secret += letters[byte % letters.size()];
    }
    key->hash = hash_of_secret(secret);
    key->masked = masked_secret(secret);
    return Secret(std::move(secret));
}

Result<Secret> replace_secret(Key* key, std::chrono::milliseconds grace, UtcTime now) {
    const bool lasts = grace.count() > 0;
    std::string old_hash = lasts ? key->hash : "";
    auto secret = give_secret(key);
    if (!secret) return secret;
    key->old_hash = std::move(old_hash);
    key->old_hash_until = lasts ? std::optional(now + grace) : std::nullopt;
    key->updated_at = now;
    return secret;
}

}  // namespace runnel::access
