#include "server/tickets.hpp"

#include "base/sha256.hpp"
#include "server/random_name.hpp"

namespace runnel::server {
namespace {

std::string hash_of(std::string_view ticket) { return in_hexadecimal(sha256(ticket)); }

}  // namespace

Result<std::string> Tickets::make(Clock::time_point now) {
    auto ticket = random_name();
    if (ticket) made_.put(hash_of(*ticket), Made{}, sizeof(Made), now);
    return ticket;
}

Tickets::Good Tickets::use(std::string_view ticket, Clock::time_point now) {
    return made_.take(hash_of(ticket), now) ? Good::yes : Good::no;
}

}  // namespace runnel::server
