#pragma once

#include "base/result.hpp"
#include "http/client/origin.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace runnel::http {

// A place to send requests to, prepared once: where it is, how to get there, and the name its
// connections go by.
struct Destination {
    Origin origin;
    std::optional<Proxy> proxy;
    std::string local_socket{};  // of this machine's, in place of the origin's host; empty: none
    std::string pool_key;        // connections with the same key are interchangeable
    // Asked of each address that the host's name stands for, right before it is connected to; null:
    // any will do.
    bool (*may_connect_to)(const boost::asio::ip::address&) = nullptr;
};

// Where requests to `origin` go: through `proxy`, or where that is empty through the one that the
// environment asks for.
Result<Destination> find_destination(std::string_view origin, std::string_view proxy,
                                     Environment environment);

// A server that listens on a socket in the file system. The error says that no path is that long.
Result<Destination> find_local_destination(std::string_view path);

}  // namespace runnel::http
