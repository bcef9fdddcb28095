#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/request_reader.hpp"
#include "server/sessions.hpp"

#include <string_view>

namespace runnel::server {

// Browsers send it back with their session's name.
inline constexpr std::string_view session_cookie = "runnel_session";

// Who may use the admin API: whoever sends its token, or has a session in the console; where no
// token is configured, programs and browsers on this machine. The error is what the client is told.
Result<void> may_administer(const http::Request& request, std::string_view client_address,
                            const Secret& token, const Sessions& sessions,
                            Sessions::Clock::time_point now);

// Whether the request has the admin token, and whether it is one of a browser that has shown it.
// Never where no token is configured.
bool has_admin_token(const http::Request& request, const Secret& token);
bool has_session(const http::Request& request, const Secret& token, const Sessions& sessions,
                 Sessions::Clock::time_point now);

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view given, const Secret& secret);

// The name of the browser's session; empty: none.
std::string_view session_of(const http::HeaderList& headers);

// A browser sends cookies along with whatever page of whoever asks it to. The console's own page
// says so with X-Runnel-Console, which no page of another origin can send, or with its Origin.
bool is_from_own_page(const http::Request& request);

}  // namespace runnel::server
