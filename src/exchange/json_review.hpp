#pragma once

#include "chat/request.hpp"
#include "exchange/answer_review.hpp"
#include "exchange/json_hold.hpp"
#include "tools/rounds/json_contract.hpp"

#include <string_view>

namespace runnel::exchange {

// Sees to it that an answer is the JSON that the client asked for.
class JsonReview final : public AnswerReview {
public:
    // Tells the model what is wanted of it. The pointers must outlive the review; what may be shown
    // goes to `client`.
    JsonReview(tools::JsonContract contract, chat::Request* request, timeline::Sink* client);

    timeline::Sink* sink() override { return &hold_; }
    Result review(const tools::RoundFilter& round) override;

private:
    Result tell(const tools::RoundFilter& round, std::string_view text_escaped);

    tools::JsonContract contract_;
    chat::Request* request_;
    JsonHold hold_;
    int attempts_ = 0;
};

}  // namespace runnel::exchange
