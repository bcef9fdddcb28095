#include "server/console/sessions.hpp"

#include <openssl/rand.h>

namespace runnel::server {
namespace {

// 256 random bits in hexadecimal: a name that nobody can guess.
Result<std::string> random_name() {
    Digest random;
    if (RAND_priv_bytes(random.data(), static_cast<int>(random.size())) != 1)
        return fail(ErrorKind::internal_error, "the system has no randomness to give");
    return in_hexadecimal(random);
}

std::string hash_of(std::string_view name) { return in_hexadecimal(sha256(name)); }

}  // namespace

Result<std::string> Sessions::open(const Secret& token, Clock::time_point now) {
    auto name = random_name();
    if (name) tokens_.put(hash_of(*name), sha256(token.reveal()), sizeof(Digest), now);
    return name;
}

bool Sessions::is_open(std::string_view name, const Secret& token, Clock::time_point now) const {
    return !name.empty() && tokens_.find(hash_of(name), now) == sha256(token.reveal());
}

void Sessions::close(std::string_view name) { tokens_.remove(hash_of(name)); }

Result<std::string> Tickets::make(Clock::time_point now) {
    auto ticket = random_name();
    if (ticket) made_.put(hash_of(*ticket), Made{}, sizeof(Made), now);
    return ticket;
}

Tickets::Good Tickets::use(std::string_view ticket, Clock::time_point now) {
    return made_.take(hash_of(ticket), now) ? Good::yes : Good::no;
}

}  // namespace runnel::server
