#pragma once

#include "chat/request.hpp"
#include "exchange/rounds/answer_review.hpp"
#include "timeline/recording.hpp"

namespace runnel::exchange {

// Sees to it that calls to the client's strict tools fit those tools' schemas, where a provider
// does not. Calls are kept until their round has ended; all else passes at once.
class StrictReview final : public AnswerReview {
public:
    // The pointers must outlive the review; what may be shown goes to `client`.
    StrictReview(chat::Request* request, timeline::Sink* client);

    timeline::Sink* sink() override { return &hold_; }
    Result review(const tools::RoundFilter& round) override;

private:
    class CallHold final : public timeline::Sink {
    public:
        explicit CallHold(timeline::Sink* to) : to_(to) {}
        void on(const timeline::Event& event) override;
        void release();
        std::size_t held_bytes() const override { return calls_.bytes() + to_->held_bytes(); }

    private:
        timeline::Sink* to_;
        timeline::Recording calls_;
    };

    chat::Request* request_;
    CallHold hold_;
    int attempts_ = 0;
};

}  // namespace runnel::exchange
