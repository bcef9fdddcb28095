#pragma once

#include "base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace runnel::http {

// Where an upstream is: scheme, host and port.
struct Origin {
    enum class Scheme { http, https } scheme = Scheme::https;
    std::string host;         // without the brackets of an IPv6 address
    std::string port;         // as digits
    std::string host_header;  // as the Host field wants it
};

// "https://api.openai.com", "http://[::1]:8080"
Result<Origin> read_origin(std::string_view text);

// A forward proxy that tunnels with CONNECT.
struct Proxy {
    std::string host;
    std::string port;
    std::string authorization;  // the value of Proxy-Authorization, or empty
};

// "http://user:password@proxy:3128"
Result<Proxy> read_proxy(std::string_view url);

// The proxy the environment asks for (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, upper or lower case); none
// for this machine.
using Environment = const char* (*)(const char* name);
Result<std::optional<Proxy>> environment_proxy(const Origin& origin, Environment environment);

}  // namespace runnel::http
