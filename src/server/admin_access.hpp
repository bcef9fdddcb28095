#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/request_reader.hpp"

#include <string_view>

namespace runnel::server {

// Who may use the admin API: whoever sends its token; where no token is configured, programs on
// this machine. The error is what the client is told.
Result<void> may_administer(const http::Request& request, std::string_view client_address,
                            const Secret& token);

// Whether the request has the admin token; never where none is configured.
bool has_admin_token(const http::Request& request, const Secret& token);

}  // namespace runnel::server
