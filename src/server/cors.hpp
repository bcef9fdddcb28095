#pragma once

#include "http/headers.hpp"

#include <string>
#include <vector>

namespace runnel::server {

// Lets browsers use the API from the allowed origins ("*" allows all). Requests without an Origin
// get no extra fields.
void add_cors(const http::HeaderList& request, const std::vector<std::string>& origins,
              http::HeaderList* response);

// What a preflight is answered with besides that: any method of ours, and whatever header fields
// the client asks for (a fixed list would break SDKs that send their own).
void add_preflight(const http::HeaderList& request, http::HeaderList* response);

}  // namespace runnel::server
