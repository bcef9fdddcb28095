#pragma once

#include "base/error.hpp"
#include "router/health.hpp"
#include "router/policy.hpp"

#include <chrono>
#include <cstdint>
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
    // Nobody else will be asked if this one fails before it has spoken: it can be given more time.
    bool last_chance = false;
};

// Whom one client request asks, in which order, how often and when: one budget for all of it.
//
// Every target is asked at least once, and `retries` is how many more attempts all of them together
// get on failures that may pass (an error of the provider, a lost connection, a rate limit), each
// after a longer random pause or the provider's own Retry-After. A target moves aside for good when
// it was silent too long, or when it can't serve this request or this key; a limited or exhausted
// key rests and the provider's next key is asked at once. What would fail everywhere (a bad
// request, too long a context, a content policy) ends the plan. Targets whose breaker is open or
// whose keys rest come last, once, without retries. Nothing begins after the window has passed.
class AttemptPlan {
public:
    using Clock = Health::Clock;
    using Random = std::minstd_rand;

    struct Target {
        std::string line;      // "provider/model"; keys after the first add "#2", "#3"…
        std::size_t keys = 1;  // at least one, also where the provider needs none
        unsigned weight = 1;
    };
    struct Limits {
        Strategy strategy = Strategy::failover;
        int retries = 2;
        std::chrono::milliseconds window{std::chrono::seconds(60)};
    };

    // `health` must outlive the plan. The strategy decides who is first; the others follow in their
    // order.
    AttemptPlan(std::vector<Target> targets, Limits limits, Health* health, Random random,
                Clock::time_point now);
    ~AttemptPlan();  // leaves still held are given back

    // The next attempt; empty when it is over (see last_error). Its leave is taken from Health when
    // its delay has passed: call begin() then, and next() again where that says no.
    std::optional<Attempt> next(Clock::time_point now);
    bool begin(const Attempt& attempt, Clock::time_point now);
    // A second attempt beside one that is slow, on a target not asked yet and ready now.
    std::optional<Attempt> hedge(Clock::time_point now);

    void failed(const Attempt& attempt, const Error& error, Clock::time_point now);
    void succeeded(const Attempt& attempt, std::chrono::milliseconds first_token,
                   Clock::time_point now);
    void given_up(const Attempt& attempt, Clock::time_point now);  // not its fault

    int attempts() const { return attempts_; }
    // Why the request can't be served: what the last attempt failed with, or that nobody could be
    // asked.
    const Error& last_error() const { return last_error_; }

private:
    struct TargetState;

    std::vector<TargetState> targets_;
    Limits limits_;
    Health* health_;
    Random random_;
    Clock::time_point ends_;
    int retries_left_;
    int attempts_ = 0;
    Error last_error_;
};

// The pause before the nth retry (from 1): random over a band that doubles from one to the next, so
// that retries spread out and still come ever later.
std::chrono::milliseconds backoff(int nth, AttemptPlan::Random& random);

}  // namespace runnel::router
