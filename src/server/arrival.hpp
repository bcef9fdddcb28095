#pragma once

#include "base/result.hpp"
#include "http/server/connection.hpp"

#include <string>
#include <string_view>
#include <vector>

// The way a request came, and from whose page. A browser lets every page ask everybody: who answers
// has to look.
namespace runnel::server {

// A request and the way it came. A view.
struct Arrival {
    const http::Request* request;
    std::string_view address;  // the client's
    // By the local socket comes only who may read and write the gateway's data folder.
    enum class Way { plain, tls, local_socket } way = Way::plain;
};
Arrival arrival_of(const http::Transaction& transaction);

// Whether the browser speaks TLS, be it with a proxy before the gateway.
bool is_encrypted(const Arrival& arrival);

// A browser sends cookies along with whatever page of whoever asks it to. The console's own page
// says so with X-Runnel-Console, which no page of another origin can send, or with its Origin; the
// browser itself says so with Sec-Fetch-Site.
bool is_from_own_page(const Arrival& arrival);

// An address or localhost, and so nobody's domain: anybody's may be made to point here, and then a
// page of theirs has this gateway for its own origin.
bool is_address_or_localhost(std::string_view host);

// Whose pages may ask, and under which names the gateway is asked. A view.
struct PageRules {
    const std::vector<std::string>* origins;  // as web_origin() has them; "*": everybody's
    const std::vector<std::string>* hosts;    // in small letters
};

// Whether the origin is among them, as it is.
bool lists_origin(const std::vector<std::string>& origins, std::string_view origin);

// For requests that nobody has to prove anything with: whether they come from a program, or from a
// page that may. The error is what the client is told.
Result<void> may_ask_unproven(const Arrival& arrival, const PageRules& rules);

}  // namespace runnel::server
