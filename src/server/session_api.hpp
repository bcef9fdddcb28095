#pragma once

#include "base/result.hpp"
#include "policy/settings.hpp"
#include "server/admin_access.hpp"
#include "server/console.hpp"
#include "server/console_state.hpp"

#include <string>
#include <string_view>

// The console's sign-in: /admin/v1/session, and the links that take its place.
namespace runnel::server {

// GET: whether the browser may use the admin API, and whether it takes a token to.
std::string session_answer(SignedIn signed_in, const Secret& token,
                           const policy::AuthSettings& auth);

// POST, whose request is {"token"} or a link's {"ticket"}: the cookie of a new session, for a
// Set-Cookie field. The error is what the client is told.
Result<std::string> open_session(const Arrival& arrival, const Secret& token, ConsoleState* console,
                                 Sessions::Clock::time_point now);

// DELETE: the cookie that takes the place of the session's.
Result<std::string> close_session(const Arrival& arrival, Sessions* sessions);

// POST /admin/v1/links: an address that opens the console, once.
Result<std::string> link_answer(ConsoleState* console, Tickets::Clock::time_point now);

}  // namespace runnel::server
