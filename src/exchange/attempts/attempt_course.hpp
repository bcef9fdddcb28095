#pragma once

#include "exchange/admission/admission.hpp"
#include "exchange/attempts/deadlines.hpp"
#include "exchange/attempts/upstream_call.hpp"
#include "exchange/gateway.hpp"
#include "exchange/worker.hpp"
#include "http/server/connection.hpp"
#include "router/attempt_plan.hpp"
#include "router/health.hpp"
#include "router/router.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::exchange {

template <class Duration>
std::chrono::milliseconds in_ms(Duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

// A request's way along the targets of its route, whatever is asked of them and however their
// answers are read: who is next, whether there is a place, how long each may take, and what the
// record and the plan are told of it.
class AttemptCourse {
public:
    using Clock = std::chrono::steady_clock;

    // What one client request may use up, however many rounds of attempts it takes.
    struct Budget {
        Clock::time_point begun = Clock::now();
        int retries = 0;  // used
        bool hedged = false;
    };
    // What attempts are made with. The pointers must outlive them.
    struct Means {
        std::shared_ptr<const Gateway> gateway;
        Worker* worker;
        router::Health* health;
        Admissions* admissions;
        MemoryBudget* memory;
    };
    // Whom they are made for; the same.
    struct Asker {
        http::Transaction* transaction;
        telemetry::RequestRecord* record;
        const router::Route* route;
        const chat::GatewayWishes* wishes;
        Budget* budget;
    };
    // `means` must outlive the course.
    AttemptCourse(const Means* means, Asker asker);
    ~AttemptCourse();
    AttemptCourse(const AttemptCourse&) = delete;
    AttemptCourse& operator=(const AttemptCourse&) = delete;

    router::AttemptPlan& plan() { return plan_; }
    // All but its time-outs, which each target may have its own of.
    const router::Policy& policy() const { return policy_; }
    bool client_is_gone() const;
    bool stopped() const { return asker_.transaction->stop->requested(); }
    const router::Target& target_of(const router::Attempt& planned) const {
        return asker_.route->targets[planned.target];
    }
    const ProviderSlot& slot_of(const router::Attempt& planned) const {
        return means_->gateway->providers[target_of(planned).provider];
    }

    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
    void end_pause();

    // A provider, or a model, may be asked by so many at a time. One that is full is waited for,
    // for a short while, only if there is no other target.
    using Tickets = std::vector<Admission::Ticket>;
    boost::asio::awaitable<Result<Tickets>> enter(router::Attempt planned);
    // The same without a wait; none: there is no place.
    std::optional<Tickets> try_enter(const router::Attempt& planned);

    // It begins: the record has it from now on, under the number that comes back.
    std::size_t begin(const router::Attempt& planned);
    telemetry::AttemptRecord& record_of(std::size_t number) {
        return asker_.record->attempts[number];
    }
    // Whom the target is asked by, for how long and over which connection.
    UpstreamCall::Question question(const router::Attempt& planned, provider::Outgoing outgoing,
                                    chat::Streaming streaming);

    // An attempt that was begun has ended.
    struct Ended {
        const router::Attempt* planned;
        std::size_t number;
        Clock::time_point begun;
        const UpstreamCall* call;
    };
    void failed(const Ended& attempt, const Error& error);
    void given_up(const Ended& attempt, std::string_view why);
    // Its target could not be asked this at all.
    void unaskable(const router::Attempt& planned, std::size_t number, const Error& error);

private:
    std::vector<Admission*> admissions_of(const router::Attempt& planned) const;
    std::string traceparent(std::size_t number) const;

    const Means* means_;
    Asker asker_;
    router::Policy policy_;
    router::AttemptPlan plan_;
    boost::asio::steady_timer* pause_ = nullptr;  // while it lasts
    bool client_set_time_;                        // within which it wants its answer
    // The next attempt takes no kept connection: the last one was found closed.
    bool on_new_connection_ = false;
};

}  // namespace runnel::exchange
