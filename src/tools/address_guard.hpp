#pragma once

#include <boost/asio/ip/address.hpp>

namespace runnel::tools {

// Whether an address belongs to the public internet, so that a URL of a model's choice may lead
// there: not this machine, not the network around it, not the metadata service of a cloud, and none
// of the forms in which IPv6 wraps such an address.
bool is_public_address(const boost::asio::ip::address& address);

}  // namespace runnel::tools
