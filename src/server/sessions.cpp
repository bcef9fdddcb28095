#include "server/sessions.hpp"

#include <openssl/rand.h>

namespace runnel::server {
namespace {

std::string key_of(std::string_view name) { return in_hexadecimal(sha256(name)); }

}  // namespace

Result<std::string> Sessions::open(const Secret& token, Clock::time_point now) {
    Digest random;
    if (RAND_priv_bytes(random.data(), static_cast<int>(random.size())) != 1)
        return fail(ErrorKind::internal_error, "the system has no randomness to give");
    std::string name = in_hexadecimal(random);
    tokens_.put(key_of(name), sha256(token.reveal()), sizeof(Digest), now);
    return name;
}

bool Sessions::is_open(std::string_view name, const Secret& token, Clock::time_point now) const {
    if (name.empty() || token.empty()) return false;
    return tokens_.find(key_of(name), now) == sha256(token.reveal());
}

void Sessions::close(std::string_view name) { tokens_.remove(key_of(name)); }

}  // namespace runnel::server
