#pragma once

#include "base/error.hpp"
#include "router/health.hpp"
#include "router/policy.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace runnel::router {

// One way to ask: a target (by its place in the plan) with one of its provider's keys.
struct Attempt {
    std::size_t target = 0;
    std::size_t key = 0;
    std::chrono::milliseconds delay{0};  // to wait before it
    // Nobody else who is well is left to ask if this one fails before it has spoken: it can be
    // given more time.
    bool last_chance = false;
};

// Whom one client request asks, in which order, how often and when: one budget for all of it.
//
// Every target is asked at least once, and `retries` is how many more attempts all of them together
// get on failures that may pass (an error of the provider, a lost connection, a rate limit), each
// after a longer random pause or the provider's own Retry-After. A pause that is too long is spent
// on the other targets; what is left of it is waited for when nobody else is left. A target moves
// aside for good when it was silent too long, or when it can't serve this request; a key that is
// limited, exhausted or refused makes way at once for the provider's next. Too long a conversation
// rules out the targets that are known to take no more. What would fail everywhere (a bad request,
// a content policy) ends the plan. Targets whose breaker is open or whose keys rest come last,
// once, without retries; a rest that ends in a moment is waited for. Nothing begins after the
// window has passed.
class AttemptPlan {
public:
    using Clock = Health::Clock;
    using Random = std::minstd_rand;

    struct Target {
        std::string name;      // "provider/model"; keys after the first add "#2", "#3"…
        std::size_t keys = 1;  // at least one, also where the provider needs none
        unsigned weight = 1;
        std::optional<std::int64_t> context_length{};  // of the model, where it is known
    };
    struct Limits {
        Strategy strategy = Strategy::failover;
        int retries = 2;
        std::chrono::milliseconds window{std::chrono::seconds(60)};  // for retries
        std::optional<std::chrono::milliseconds> timeout{};          // for all of it
    };

    // `health` must outlive the plan. The strategy decides who is first; the others follow in their
    // order.
    AttemptPlan(std::vector<Target> targets, Limits limits, Health* health, Random random,
                Clock::time_point now);
    ~AttemptPlan();  // leaves still held are given back
    AttemptPlan(const AttemptPlan&) = delete;
    AttemptPlan& operator=(const AttemptPlan&) = delete;

    // The next attempt; empty when it is over (see last_error). Its leave is taken from Health when
    // its delay has passed: call begin() then, and next() again where that says no.
    std::optional<Attempt> next(Clock::time_point now);
    bool begin(const Attempt& attempt, Clock::time_point now);
    // A second attempt beside one that is slow, on a target not asked yet and ready now.
    std::optional<Attempt> hedge(Clock::time_point now);

    // The attempt has spoken: to be said at once, so that others may use a target that is well
    // again. If it fails after all, failed() takes that back.
    void succeeded(const Attempt& attempt, std::chrono::milliseconds first_token,
                   Clock::time_point now);
    void failed(const Attempt& attempt, const Error& error, Clock::time_point now);
    void given_up(const Attempt& attempt, Clock::time_point now);  // not its fault
    // The client would not wait any longer, which says nothing about whom it asked; nobody else is.
    void not_waited_for(const Attempt& attempt, const Error& error, Clock::time_point now);
    // What was asked never got there, which is not its fault either: the same is given again at
    // once, on a retry where there is one left.
    void stale_connection(const Attempt& attempt, const Error& error, Clock::time_point now);

    int attempts() const { return attempts_; }
    // Why the request can't be served: what the last attempt failed with, or that nobody could be
    // asked. A failure that may pass is not hidden by a later one that only tells of one target's
    // setup (a key, a model's name), lest the client think that it is of no use to come back; too
    // long a conversation is not hidden by anything.
    const Error& last_error() const { return last_error_; }

private:
    using Need = Health::Need;
    using Time = Clock::time_point;
    struct Key;
    struct TargetState;
    struct Held;
    struct Retry;
    enum class OpenTargets { skipped, taken };

    std::vector<std::size_t> order(Strategy strategy, const std::vector<Target>& targets, Time now);

    std::optional<Attempt> again(std::size_t target, Time now);
    std::optional<Attempt> other_key(std::size_t target, Time now);
    std::optional<Attempt> retry_soon(std::size_t target, Time now);
    std::optional<Attempt> untried(Time now);
    std::optional<Attempt> last_resort(Time now);
    std::optional<Attempt> retry_late(Time now);

    std::optional<std::size_t> ready_key(const TargetState& target, Time now) const;
    std::optional<std::size_t> first_key(const TargetState& target, Time now) const;
    std::optional<Retry> soonest(std::size_t target, OpenTargets open, Time now) const;
    Attempt give_retry(const Retry& retry, Need need, Time now);
    Attempt give(std::size_t target, std::size_t key, Need need, Time at, Time now);

    void refused(const Attempt& attempt);
    void rule_out_shorter_than(const TargetState& failed);
    std::chrono::milliseconds pause(const TargetState& target);
    std::chrono::milliseconds jitter();
    std::optional<Held> let_go(const Attempt& attempt);
    void keep(const Error& error);

    std::vector<TargetState> targets_;
    Health* health_;
    Random random_;
    std::vector<std::size_t> order_;
    Time ends_;
    Time times_out_;
    int retries_left_;
    int attempts_ = 0;
    std::vector<Held> held_;  // leaves taken and not given back
    std::optional<std::size_t> last_failed_{};
    bool over_ = false;
    Error last_error_;
};

// The pause before the nth retry (from 1): random over a band that doubles from one to the next, so
// that retries spread out and still come ever later.
std::chrono::milliseconds backoff(int nth, AttemptPlan::Random& random);

}  // namespace runnel::router
