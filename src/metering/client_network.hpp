#pragma once

#include <string>
#include <string_view>

namespace runnel::metering {

// What limits count as one client: an IPv4 address; of an IPv6 address the first half, since
// whoever has one has all that begin with it.
std::string client_network(std::string_view address);

}  // namespace runnel::metering
