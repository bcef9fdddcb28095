#pragma once

#include "http/message/headers.hpp"
#include "server/authentication.hpp"

namespace runnel::server {

// Whom the config, or the key that a request brings, lets ask from a browser.
enum class Pages { none, of_this_origin, of_every_origin };

// Whose pages may read the answer to a request; to a browser's question whether it may be sent,
// which has no key yet, those of all keys.
Pages pages_for(const http::Request& request, const Gatekeeper& gatekeeper, access::UtcTime now);

// Lets pages of the request's origin read the answer. Requests without an Origin get no extra
// fields.
void add_cors(const http::HeaderList& request, Pages pages, http::HeaderList* response);

// What a preflight is answered with besides that: any method of ours, and whatever header fields
// the client asks for (a fixed list would break SDKs that send their own).
void add_preflight(const http::HeaderList& request, http::HeaderList* response);

}  // namespace runnel::server
