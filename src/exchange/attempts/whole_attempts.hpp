#pragma once

#include "exchange/attempts/attempt_course.hpp"
#include "exchange/held_memory.hpp"
#include "exchange/operations/whole_operation.hpp"
#include "provider/core/whole_body.hpp"

#include <boost/asio/awaitable.hpp>

namespace runnel::exchange {

// Asks the targets of a route, as the plan says, until one of them has answered an operation's next
// question, in one whole body. The client sees nothing of it before that, so any failure may lead
// to another attempt.
class WholeAttempts {
public:
    // The pointers must outlive the attempts.
    WholeAttempts(AttemptCourse::Means means, AttemptCourse::Asker asker,
                  WholeOperation* operation);

    // The error is what the client is told, if it is still there.
    boost::asio::awaitable<Result<void>> run();

private:
    using Clock = AttemptCourse::Clock;
    // What was asked, being answered.
    struct Running {
        Running(const AttemptCourse::Means& means, UpstreamCall::Question question,
                http::Watchdog* watchdog)
            : body(question.slot->provider->display_name()),
              call(means.worker, std::move(question), &body, watchdog),
              memory(means.memory) {}

        provider::WholeBody body;
        UpstreamCall call;
        HeldMemory memory;
        Clock::time_point begun = Clock::now();
    };

    boost::asio::awaitable<void> ask(router::Attempt planned);
    void conclude(const router::Attempt& planned, std::size_t number, Running& running);

    AttemptCourse::Means means_;
    AttemptCourse::Asker asker_;
    AttemptCourse course_;
    WholeOperation* operation_;
    Running* running_ = nullptr;
    bool answered_ = false;
    std::optional<Error> too_much_;  // is kept of the answer
};

}  // namespace runnel::exchange
