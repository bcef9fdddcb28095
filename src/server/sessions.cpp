#include "server/sessions.hpp"

#include "server/random_name.hpp"

namespace runnel::server {
namespace {

std::string key_of(std::string_view name) { return in_hexadecimal(sha256(name)); }

}  // namespace

Result<std::string> Sessions::open(const Secret& token, Clock::time_point now) {
    auto name = random_name();
    if (name) tokens_.put(key_of(*name), sha256(token.reveal()), sizeof(Digest), now);
    return name;
}

bool Sessions::is_open(std::string_view name, const Secret& token, Clock::time_point now) const {
    return !name.empty() && tokens_.find(key_of(name), now) == sha256(token.reveal());
}

void Sessions::close(std::string_view name) { tokens_.remove(key_of(name)); }

}  // namespace runnel::server
