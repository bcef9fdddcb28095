#include "exchange/attempts/answer_gate.hpp"

#include "base/release.hpp"

namespace runnel::exchange {

using timeline::Finish;

AnswerGate::AnswerGate(api::Envelope::Reasoning reasoning, WhenSpoken when_spoken,
                       timeline::Started started)
    : reasoning_(reasoning),
      when_spoken_(std::move(when_spoken)),
      started_(started) {}

// A finish alone counts where it explains why there is nothing to see: a filter, the token limit,
// or thoughts that are not shown.
bool AnswerGate::speaks(const timeline::Event& event) {
    if (std::holds_alternative<timeline::Reasoning>(event)) {
        thought_ = true;
        return reasoning_ == api::Envelope::Reasoning::shown;
    }
    if (const auto* finished = std::get_if<timeline::Finished>(&event))
        return thought_ || (finished->finish != Finish::stop && finished->finish != Finish::pause);
    return timeline::is_visible(event);
}

void AnswerGate::on(const timeline::Event& event) {
    if (const auto* failed = std::get_if<timeline::Failed>(&event)) {
        failure_ = failed->error;
        return;
    }
    if (std::holds_alternative<timeline::Ended>(event)) {
        ended_ = true;
        if (failure_) return;
    }
    if (!spoke_ && speaks(event)) {
        spoke_ = true;
        if (to_ == nullptr && when_spoken_) open(when_spoken_());
    }
    if (to_ != nullptr) {
        to_->on(event);
    } else if (!std::holds_alternative<timeline::Started>(event)) {
        held_.on(event);
    }
}

void AnswerGate::open(timeline::Sink* to) {
    to_ = to;
    to_->on(started_);
    held_.replay(to_);
    release(held_);
}

}  // namespace runnel::exchange
