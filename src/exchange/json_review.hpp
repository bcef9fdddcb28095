#pragma once

#include "agent/json_contract.hpp"
#include "agent/round_filter.hpp"
#include "base/error.hpp"
#include "chat/request.hpp"
#include "exchange/json_hold.hpp"

#include <string>

namespace runnel::exchange {

// Sees to it that an answer is the JSON that the client asked for: looks at what a round said, and
// shows it, has the model asked again, or gives up.
class JsonReview {
public:
    // Tells the model what is wanted of it. The pointers must outlive the review; what may be shown
    // goes to `client`.
    JsonReview(agent::JsonContract contract, chat::Request* request, timeline::Sink* client);

    // Where the rounds are told to.
    timeline::Sink* sink() { return &hold_; }

    enum class Result { told, ask_again, given_up };
    // Of the round that has just ended, as the filter saw it.
    Result review(const agent::RoundFilter& round);
    // Why it was given up.
    const Error& failure() const { return failure_; }

private:
    Result tell(const agent::RoundFilter& round, std::string_view text_escaped);
    Result give_up(std::string why);

    agent::JsonContract contract_;
    chat::Request* request_;
    JsonHold hold_;
    int attempts_ = 0;
    Error failure_;
};

}  // namespace runnel::exchange
