#pragma once

#include "http/headers.hpp"
#include "policy/address_range.hpp"

#include <boost/asio/ip/address.hpp>

#include <string>
#include <vector>

namespace runnel::http {

policy::IpBytes bytes_of(const boost::asio::ip::address& address);
// As people write it; ::ffff:192.0.2.7 is 192.0.2.7.
std::string text_of(const policy::IpBytes& address);

// The proxies that may say for whom they ask. What anybody else says about that is not believed.
class TrustedProxies {
public:
    TrustedProxies() = default;
    explicit TrustedProxies(std::vector<policy::AddressRange> ranges)
        : ranges_(std::move(ranges)) {}

    bool contains(const policy::IpBytes& address) const;

    // Who asks, of a request that came from `peer`: the last address in X-Forwarded-For, or else in
    // Forwarded, that is not a proxy's. Each proxy adds the one it was asked by at the end, so all
    // before that is what a client chose to write. What can't be read ends the search: the last
    // address that is known for certain counts.
    policy::IpBytes client_of(const policy::IpBytes& peer, const HeaderList& headers) const;

private:
    std::vector<policy::AddressRange> ranges_;
};

}  // namespace runnel::http
