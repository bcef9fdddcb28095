#pragma once

#include <string_view>

// What an address in the config looks like. Whether anything answers there is for those to find out
// who connect.
namespace runnel::config {

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080"; ":8080" and "*:8080" for every interface.
bool is_listen_address(std::string_view text);

// "https://api.openai.com/v1": http or https, a host, perhaps a port and a path, nothing more.
bool is_base_url(std::string_view text);

// The same, perhaps with a query behind it.
bool is_web_url(std::string_view text);

// "http://proxy:3128", perhaps with user:password@ before the host.
bool is_proxy_url(std::string_view text);

// What a browser sends as Origin ("https://app.example.com", "null"), or "*" for any.
bool is_cors_origin(std::string_view text);

// "gateway.internal": what a client has as Host, without a port.
bool is_host_name(std::string_view text);

}  // namespace runnel::config
