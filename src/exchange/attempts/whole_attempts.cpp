#include "exchange/attempts/whole_attempts.hpp"

#include "exchange/shutting_down.hpp"

#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;
using http::Stop;

WholeAttempts::WholeAttempts(AttemptCourse::Means means, AttemptCourse::Asker asker,
                             WholeOperation* operation)
    : means_(std::move(means)),
      asker_(asker),
      course_(&means_, asker),
      operation_(operation) {}

awaitable<Result<void>> WholeAttempts::run() {
    Stop* stop = asker_.transaction->stop;
    const Stop::Guard guard(stop, [this, stop] {
        course_.end_pause();
        if (running_ != nullptr) running_->call.stop(stop->reason());
    });
    router::AttemptPlan& plan = course_.plan();
    while (!answered_ && !too_much_ && !course_.stopped()) {
        const auto planned = plan.next(Clock::now());
        if (!planned) break;
        if (planned->delay.count() > 0) co_await course_.pause(planned->delay);
        if (course_.stopped()) break;
        if (plan.begin(*planned, Clock::now())) co_await ask(*planned);
    }
    if (answered_) co_return Result<void>{};
    if (stop->reason() == Stop::Reason::shutdown) co_return fail(shutting_down());
    co_return fail(too_much_ ? *too_much_ : plan.last_error());
}

awaitable<void> WholeAttempts::ask(router::Attempt planned) {
    const auto tickets = co_await course_.enter(planned);
    if (!tickets) {
        course_.plan().failed(planned, tickets.error(), Clock::now());
        co_return;
    }
    if (course_.stopped()) {
        course_.plan().given_up(planned, Clock::now());
        co_return;
    }
    const std::size_t number = course_.begin(planned);
    auto outgoing = operation_->next_question(*course_.slot_of(planned).provider,
                                              course_.target_of(planned).model);
    if (!outgoing) {
        course_.unaskable(planned, number, outgoing.error());
        co_return;
    }
    Running running(means_, course_.question(planned, std::move(*outgoing), chat::Streaming::no),
                    asker_.transaction->watchdog);
    running_ = &running;
    while (!running.call.ended()) {
        co_await running.call.advance();
        auto fits = running.memory.hold(running.call.held_bytes());
        if (fits) continue;
        too_much_ = fits.error();
        running.call.end_with(std::move(fits.error()));
    }
    running_ = nullptr;
    conclude(planned, number, running);
}

void WholeAttempts::conclude(const router::Attempt& planned, std::size_t number, Running& running) {
    const AttemptCourse::Ended ended{&planned, number, running.begun, &running.call};
    if (course_.client_is_gone()) return course_.given_up(ended, "client_closed");
    if (running.body.failure()) return course_.failed(ended, *running.body.failure());
    auto read = operation_->read_answer(*course_.slot_of(planned).provider, running.body.json(),
                                        &means_.worker->parser);
    means_.worker->parser.forget_large();
    if (!read) return course_.failed(ended, read.error());
    const auto time = in_ms(Clock::now() - running.begun);
    telemetry::AttemptRecord& record = course_.record_of(number);
    record.first_token = record.total = time;
    course_.plan().succeeded(planned, time, Clock::now());
    const auto& warnings = running.call.warnings();
    asker_.record->warnings.insert(asker_.record->warnings.end(), warnings.begin(), warnings.end());
    answered_ = true;
}

}  // namespace runnel::exchange
