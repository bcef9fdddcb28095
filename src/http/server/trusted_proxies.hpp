#pragma once

#include "base/address_range.hpp"
#include "http/message/headers.hpp"

#include <boost/asio/ip/address.hpp>

#include <string>
#include <vector>

namespace runnel::http {

runnel::IpBytes bytes_of(const boost::asio::ip::address& address);
// As people write it; ::ffff:192.0.2.7 is 192.0.2.7.
std::string text_of(const runnel::IpBytes& address);

// The proxies that may say for whom they ask. What anybody else says about that is not believed.
class TrustedProxies {
public:
    TrustedProxies() = default;
    explicit TrustedProxies(std::vector<runnel::AddressRange> ranges)
        : ranges_(std::move(ranges)) {}

    bool contains(const runnel::IpBytes& address) const;

    // Who asks, of a request that came from `peer`: the last address in X-Forwarded-For, or else in
    // Forwarded, that is not a proxy's. Each proxy adds the one it was asked by at the end, so all
    // before that is what a client chose to write. What can't be read ends the search: the last
    // address that is known for certain counts.
    runnel::IpBytes client_of(const runnel::IpBytes& peer, const HeaderList& headers) const;

private:
    std::vector<runnel::AddressRange> ranges_;
};

}  // namespace runnel::http
