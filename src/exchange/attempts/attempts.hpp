#pragma once

#include "chat/request.hpp"
#include "exchange/attempts/attempt.hpp"
#include "exchange/attempts/attempt_course.hpp"
#include "exchange/attempts/continuation.hpp"
#include "exchange/attempts/race.hpp"
#include "exchange/continuity.hpp"
#include "exchange/reply.hpp"
#include "router/attempt_plan.hpp"
#include "router/health.hpp"
#include "router/router.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::exchange {

// Asks the targets of a route, as the plan says, until one of them answers, and pumps its answer to
// whoever listens and from there to the client. Another target is asked only as long as the client
// has seen nothing; after that a failure is told, or, where the model's config wants it so, the
// answer is gone on with by a target that repeats what was seen.
class Attempts final : private timeline::Sink {
public:
    using Budget = AttemptCourse::Budget;
    using Means = AttemptCourse::Means;
    // Whom they are made for. The pointers must outlive the attempts.
    struct Client {
        http::Transaction* transaction;
        telemetry::RequestRecord* record;
        Reply* reply;
        ConversationState* conversation;
        Budget* budget;
    };
    // What is asked is forgotten when the answer has begun, unless it will be asked again.
    enum class Afterwards { forget, keep };
    // `listener` is told the answer, and tells the reply.
    Attempts(Means means, Client client, chat::Request* request, const router::Route* route,
             timeline::Sink* listener, Afterwards afterwards);
    ~Attempts() override;

    // failed: the client has been told, or is gone.
    enum class Outcome { answered, failed };
    boost::asio::awaitable<Outcome> run();
    // Who answered, by its place in the route.
    std::size_t served_by() const { return served_by_; }

private:
    using Clock = std::chrono::steady_clock;
    enum class Next { another, answered, failed };

    std::optional<router::Attempt> plan_next();
    boost::asio::awaitable<Next> ask(router::Attempt planned);
    enum class Alone { yes, no };
    std::shared_ptr<Attempt> open_attempt(const router::Attempt& planned, Alone alone);
    boost::asio::awaitable<std::shared_ptr<Attempt>> race(std::shared_ptr<Attempt> first);
    void start_hedge();
    boost::asio::awaitable<void> pump();
    boost::asio::awaitable<Next> conclude();
    boost::asio::awaitable<void> flush();
    void count_memory();
    void note_trimmed_calls();
    boost::asio::awaitable<Outcome> end();

    timeline::Sink* show(Attempt& attempt);
    void on(const timeline::Event& event) override;
    void settle_failed(const Attempt& attempt, const Error& error);
    void settle_silent(const std::shared_ptr<Attempt>& attempt);
    void settle_given_up(const Attempt& attempt, std::string_view why);
    telemetry::AttemptRecord& record_of(const Attempt& attempt);
    bool has_shown() const;
    bool may_continue(const Error& error) const;
    void forget_request();
    void stop_all(http::Stop::Reason reason);
    bool stopped() const { return client_.transaction->stop->requested(); }

    Means means_;
    Client client_;
    Reply* reply_;
    telemetry::RequestRecord* record_;
    chat::Request* request_;
    const router::Route* route_;
    timeline::Sink* listener_;
    Afterwards afterwards_;
    std::size_t served_by_ = 0;
    AttemptCourse course_;
    const router::Policy& policy_;
    router::AttemptPlan& plan_;

    std::shared_ptr<Attempt> current_;  // the one being pumped
    std::optional<Race> race_;
    bool may_hedge_;  // once
    std::shared_ptr<Attempt>
        silent_;  // said nothing: still better than an error, if all others fail
    std::string state_owner_;
    std::optional<Error> too_much_;  // is kept of the answer

    std::optional<SeenText> seen_;  // where an answer may be gone on with
    std::optional<Continuation> continuation_;
    std::optional<Error> broken_off_;  // why the one who began the answer did not end it
};

}  // namespace runnel::exchange
