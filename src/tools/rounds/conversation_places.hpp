#pragma once

#include "chat/request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace runnel::tools {

// Names for the places in one caller's conversation at which the model spoke. What is kept from one
// of its turns to the next is kept under such a name: the ids of tool calls alone are no names,
// some models number them from zero for everybody.
//
// A place is named by who asks and by all that the client said before it, so nobody finds what
// belongs to another caller or to another conversation. Only the client's messages count, not what
// the gateway adds to them, and not what clients change between two requests without meaning
// anything by it: how JSON is written, an empty text for none, cache marks, reasoning that comes
// back or does not.
class ConversationPlaces {
public:
    // None: nothing can be found or kept.
    ConversationPlaces() = default;
    // `owner` is whoever the state belongs to, in words that nobody else can claim. The request's
    // messages are as the client sent them.
    ConversationPlaces(std::string_view owner, const chat::Request& request);

    // Of a turn of the model's in the request that this was made from, also when messages were
    // added to that since: a client's turn by its number, the gateway's own by what is answered
    // now. Empty: there is no such place.
    std::string_view of(const chat::Message& turn) const;
    // Of the turn that answers the request.
    std::string_view next() const { return next_; }

private:
    std::unordered_map<std::size_t, std::string> turns_;  // by Message::number
    std::string next_;
};

// Where a call of the turn at that place is kept.
std::string name_of_call(std::string_view place, std::string_view call_id);

}  // namespace runnel::tools
