#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "server/arrival.hpp"
#include "server/console/guesses.hpp"
#include "server/console/sessions.hpp"

#include <string_view>

namespace runnel::server {

// Browsers send it back with their session's name. The longer name is for TLS: browsers take it
// from nobody but the host itself.
inline constexpr std::string_view session_cookie = "runnel_session";
inline constexpr std::string_view secure_session_cookie = "__Host-runnel_session";

// What the admin is known by. A view.
struct AdminProof {
    const Secret* token;  // empty: the config has none
    const Sessions* sessions;
    Guesses* guesses;
};

// How somebody has shown to be the admin.
enum class AdminBy { token, session, local_socket };

// Who may use the admin API: whoever comes by the local socket, sends the token, or has a session
// in the console. Where no token is configured nobody has it, and an address proves nothing: a
// proxy on this machine asks for the whole internet. The error is what the client is told.
Result<AdminBy> may_administer(const Arrival& arrival, const AdminProof& proof,
                               Sessions::Clock::time_point now);

// Whether the request has the admin token. Never where none is configured, nor while the address
// must wait; what is wrong is not counted here, since it may be somebody's key.
bool has_admin_token(const Arrival& arrival, const AdminProof& proof,
                     Sessions::Clock::time_point now);

// Whether it is one of a browser that has shown the token or a ticket.
bool has_session(const Arrival& arrival, const AdminProof& proof, Sessions::Clock::time_point now);

// Whether what this address shows is looked at: after some wrong guesses it has to wait.
Result<void> may_guess(std::string_view address, const Guesses& guesses,
                       Sessions::Clock::time_point now);

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view given, const Secret& secret);

// The token of Authorization: Bearer; empty: there is none.
std::string_view bearer_of(const http::HeaderList& headers);

// The name of the browser's session; empty: none.
std::string_view session_of(const Arrival& arrival);

}  // namespace runnel::server
