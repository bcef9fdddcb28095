#pragma once

#include "access/caller.hpp"

#include <string>
#include <string_view>

// To whom things belong that are kept between requests. No two kinds of callers have a name in
// common, whatever they are called.
namespace runnel::access {

// What a conversation leaves behind for its next turn: nobody but its caller may find it. What can
// be said or read by everybody, a wallet address or a browser's key, is a caller only together with
// the address it comes from. `user` and `metadata` are the request's, where what is kept is about
// them.
std::string owner_of_state(const Caller& caller, std::string_view user, std::string_view metadata);

// The same for what is kept in a store, whoever the user is: a digest.
std::string owner_digest(const Caller& caller);

// Whose money an answer was, for a cache: a team's members share what they paid for together, and
// where nobody has to say who they are, so does everybody.
std::string payer_of(const Caller& caller);

}  // namespace runnel::access
