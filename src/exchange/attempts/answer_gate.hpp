#pragma once

#include "api/dialect.hpp"
#include "timeline/event.hpp"
#include "timeline/recording.hpp"

#include <functional>
#include <optional>

namespace runnel::exchange {

// Stands between one upstream answer and the client. Until the answer has said something that the
// client can see, nothing passes, so that another target may still answer in its place; from then
// on everything does, but for a failure: whoever drives the attempts decides what becomes of that.
class AnswerGate final : public timeline::Sink {
public:
    // `when_spoken` is called once, right before the first visible event, and says where events go
    // from then on. An empty one leaves the gate shut until open().
    using WhenSpoken = std::function<timeline::Sink*()>;
    AnswerGate(api::Envelope::Reasoning reasoning, WhenSpoken when_spoken,
               timeline::Started started = {});

    void on(const timeline::Event& event) override;
    // Lets through what was held back, and all that follows.
    void open(timeline::Sink* to);

    bool is_open() const { return to_ != nullptr; }
    // The answer has shown something, or is whole although it shows nothing for a good reason.
    bool spoke() const { return spoke_; }
    bool ended() const { return ended_; }
    // It ended well, and said nothing at all.
    bool is_empty() const { return ended_ && !failure_ && !spoke_; }
    const std::optional<Error>& failure() const { return failure_; }
    // Of what is held back here; whoever listens is not the gate's.
    std::size_t held_bytes() const override { return held_.bytes(); }

private:
    bool speaks(const timeline::Event& event);

    api::Envelope::Reasoning reasoning_;
    WhenSpoken when_spoken_;
    timeline::Started started_;
    timeline::Sink* to_ = nullptr;
    timeline::Recording held_;
    std::optional<Error> failure_;
    bool thought_ = false;  // there was reasoning, which the client does not want to see
    bool spoke_ = false;
    bool ended_ = false;
};

}  // namespace runnel::exchange
