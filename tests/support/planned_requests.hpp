#pragma once

#include "router/attempt_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace runnel::router {

inline Error error_of(ErrorKind kind, std::optional<std::chrono::milliseconds> retry_after = {}) {
    Error error{kind, std::string(name_of(kind))};
    error.retry_after = retry_after;
    return error;
}

inline AttemptPlan::Target target(std::string name, std::size_t keys = 1) {
    return {std::move(name), keys};
}

// Client requests, one after another, on a clock that moves only while they wait. What each target
// answers is scripted; a target without a script, or at its end, answers well.
class PlannedRequests : public testing::Test {
protected:
    using Time = AttemptPlan::Clock::time_point;

    struct Asked {
        std::string name;
        std::chrono::milliseconds delay;
        bool last_chance;
    };

    void request(std::vector<AttemptPlan::Target> targets, AttemptPlan::Limits limits = {}) {
        AttemptPlan plan(targets, limits, &health, AttemptPlan::Random(++seed), now);
        asked.clear();
        served = false;
        while (const auto attempt = plan.next(now)) {
            now += attempt->delay;
            if (!plan.begin(*attempt, now)) continue;
            const std::string name = name_of_key(targets[attempt->target], attempt->key);
            asked.push_back({name, attempt->delay, attempt->last_chance});
            if (const auto error = answer_of(name)) {
                plan.failed(*attempt, *error, now);
                continue;
            }
            plan.succeeded(*attempt, std::chrono::milliseconds(10), now);
            served = true;
            break;
        }
        EXPECT_EQ(plan.attempts(), static_cast<int>(asked.size()));
        last_error = plan.last_error();
    }

    static std::string name_of_key(const AttemptPlan::Target& target, std::size_t key) {
        return key == 0 ? target.name : fmt::format("{}#{}", target.name, key + 1);
    }

    std::optional<Error> answer_of(const std::string& name) {
        if (const auto found = always.find(name); found != always.end()) return found->second;
        std::deque<Error>& errors = script[name];
        if (errors.empty()) return std::nullopt;
        Error error = errors.front();
        errors.pop_front();
        return error;
    }

    // Who was asked, e.g. "a a b#2 ok".
    std::string story() const {
        std::string story;
        for (const Asked& one : asked) story += one.name + ' ';
        return story + (served ? "ok" : "failed");
    }

    std::chrono::milliseconds delay(std::size_t at) const { return asked.at(at).delay; }

    void open(std::string_view name) {
        for (std::size_t i = 0; i < Breaker::failures_to_open; ++i)
            health.failed(name, *health.admit(name, Health::Need::choice, now), now);
        ASSERT_EQ(health.standing(name, now), Health::Standing::open);
    }

    Health health;
    Time now{std::chrono::hours(1)};
    unsigned seed = 0;
    std::map<std::string, std::deque<Error>> script;
    std::map<std::string, Error> always;

    // Of the last request.
    std::vector<Asked> asked;
    bool served = false;
    Error last_error;
};

}  // namespace runnel::router
