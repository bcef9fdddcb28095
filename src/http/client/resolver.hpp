#pragma once

#include "base/result.hpp"
#include "http/stop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::http {

// Looks host names up on its loop, without a thread: a name whose servers are silent delays no
// other. /etc/hosts comes first, then the name servers, which are asked for both kinds of addresses
// side by side; who asks for the same name at the same time waits for the same answer. Answers are
// remembered for as long as they say, within bounds, and for a moment that there is none. One per
// thread.
class Resolver {
public:
    // `servers`: "10.0.0.2,127.0.0.1:5353", as c-ares reads them; empty: those of the system.
    Resolver(boost::asio::io_context* loop, std::string servers);
    ~Resolver();
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    // In the order in which they are worth trying, never none. A stop ends the wait, not the
    // lookup.
    using Addresses = std::vector<boost::asio::ip::address>;
    boost::asio::awaitable<Result<Addresses>> resolve(std::string host, Stop* stop);

private:
    struct State;
    std::shared_ptr<State> state_;  // shared for answers that come late, and find it gone
};

// What RUNNEL_DNS_SERVERS says.
std::string environment_name_servers();

// The families take turns, IPv6 first, so that a network that carries only one of them costs one
// attempt; of very many addresses the first.
Resolver::Addresses in_turns(const Resolver::Addresses& v6, const Resolver::Addresses& v4);

}  // namespace runnel::http
