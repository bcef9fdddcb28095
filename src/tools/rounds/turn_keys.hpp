#pragma once

#include "chat/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace runnel::tools {

// Names of the turns in one conversation in which the model spoke. What is kept from one
// of its turns to the next is kept under such a name: the ids of tool calls alone are no names,
// some models number them from zero for everybody.
//
// A key is made of who asks and by all that the client said before it, so nobody finds what
// belongs to another caller or to another conversation. Only the client's messages count, not what
// the gateway adds to them, and not what clients change between two requests without meaning
// anything by it: how JSON is written, an empty text for none, cache marks, reasoning that comes
// back or does not.
class TurnKeys {
public:
    // None: nothing can be found or kept.
    TurnKeys() = default;
    // `owner` is whoever the state belongs to, in words that nobody else can claim. The request's
    // messages are as the client sent them.
    TurnKeys(std::string_view owner, const chat::Request& request);

    // Of a turn of the model's in the request that this was made from, also when messages were
    // added to that since: a client's turn by its number, the gateway's own by what is answered
    // now. Empty: there is no such turn.
    std::string_view of(const chat::Message& turn) const;
    // Of the turn that answers the request.
    std::string_view next() const { return next_; }

private:
    std::unordered_map<std::size_t, std::string> turns_;  // by Message::number
    std::string next_;
};

// Under which a call of that turn is kept.
std::string key_of_call(std::string_view turn_key, std::string_view call_id);

}  // namespace runnel::tools
