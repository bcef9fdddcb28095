#pragma once

#include "base/address_range.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace runnel::http {

inline constexpr std::size_t proxy_header_bytes_max = 2048;  // its extensions included

// What stands at the beginning of a connection that a proxy passes on: version 2 of the PROXY
// protocol, which is HAProxy's.
struct ProxyHeader {
    std::size_t wanted = 0;  // bytes that are to be read before it can be read on; 0: it is whole
    // Who connected to the proxy; none where the proxy speaks for itself, or does not know.
    std::optional<runnel::IpBytes> client{};
};

// `bytes`: what was read of it so far, and nothing of what follows. No byte more than `wanted` may
// be read at a time: those behind the header are the client's.
Result<ProxyHeader> read_proxy_header(std::string_view bytes);

}  // namespace runnel::http
