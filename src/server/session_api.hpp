#pragma once

#include "base/result.hpp"
#include "policy/settings.hpp"
#include "server/admin_access.hpp"
#include "server/console.hpp"

#include <string>
#include <string_view>

// The console's sign-in: /admin/v1/session.
namespace runnel::server {

// GET: whether the browser may use the admin API, and whether it takes a token to.
std::string session_answer(SignedIn signed_in, const Secret& token,
                           const policy::AuthSettings& auth);

// POST, whose request is {"token"}: the cookie of a new session, for a Set-Cookie field. The error
// is what the client is told.
Result<std::string> open_session(const http::Request& request, const Secret& token,
                                 Sessions* sessions, Sessions::Clock::time_point now);

// DELETE: the cookie that takes the place of the session's.
Result<std::string> close_session(const http::Request& request, Sessions* sessions);

}  // namespace runnel::server
