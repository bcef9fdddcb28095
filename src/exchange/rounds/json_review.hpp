#pragma once

#include "chat/request.hpp"
#include "exchange/rounds/answer_review.hpp"
#include "timeline/event.hpp"
#include "timeline/recording.hpp"
#include "tools/rounds/json_contract.hpp"

#include <string_view>

namespace runnel::exchange {

// Stands between the rounds of an answer that must be JSON and the client: keeps a round back until
// somebody has looked at it. Where a provider that keeps the form itself may be believed, its
// answer passes as it comes, unless it begins like anything but JSON.
class JsonHold final : public timeline::Sink {
public:
    enum class Belief { nobody, provider };
    // `to` must outlive this.
    JsonHold(Belief belief, timeline::Sink* to) : belief_(belief), to_(to) {}

    // Started begins a round, and forgets what was held.
    void on(const timeline::Event& event) override;

    // The round waits for somebody to look at it.
    bool holds() const { return state_ == State::holding; }
    bool refused() const { return refused_; }
    // Lets the round go, with these texts for what it said.
    void tell(std::string_view reasoning_escaped, std::string_view text_escaped);
    std::size_t held_bytes() const override { return held_.bytes() + to_->held_bytes(); }

private:
    enum class State { watching, holding, passing };

    void begin(const timeline::Started& event);
    void watch(const timeline::Text& event);
    void keep(const timeline::Event& event);

    Belief belief_;
    timeline::Sink* to_;
    State state_ = State::holding;
    timeline::Recording held_;  // but for text and reasoning, which the round knows
    bool refused_ = false;
};

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
