#include "config/sections/policy.hpp"

namespace runnel::config {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view keys_of_timeouts[] = {"connect", "first_token", "idle", "total"};
constexpr std::string_view keys_of_hedge[] = {"after"};
constexpr std::string_view keys_of_common_policy[] = {"retries", "timeout",   "timeouts",
                                                      "hedge",   "midstream", "failover_scope"};
constexpr std::string_view strategies[] = {"failover", "weighted", "least-latency"};
constexpr std::string_view midstreams[] = {"fail", "verified"};
constexpr std::string_view failover_scopes[] = {"stream", "round"};

constexpr std::int64_t concurrent_max = 1'000'000;

std::optional<std::chrono::milliseconds> read_time(const Value& value) {
    return value.duration(1ms, 24h);
}

std::optional<router::Strategy> read_strategy(const Value& value) {
    const auto name = value.one_of(strategies);
    if (!name) return std::nullopt;
    return *name == "weighted"        ? router::Strategy::weighted
           : *name == "least-latency" ? router::Strategy::least_latency
                                      : router::Strategy::failover;
}

std::optional<router::Midstream> read_midstream(const Value& value) {
    const auto name = value.one_of(midstreams);
    if (!name) return std::nullopt;
    return *name == "verified" ? router::Midstream::verified : router::Midstream::fail;
}

std::optional<router::FailoverScope> read_failover_scope(const Value& value) {
    const auto name = value.one_of(failover_scopes);
    if (!name) return std::nullopt;
    return *name == "round" ? router::FailoverScope::round : router::FailoverScope::stream;
}

std::optional<std::chrono::milliseconds> read_hedge(const Value& value) {
    const auto section = value.section(keys_of_hedge);
    if (!section) return std::nullopt;
    const Value* after = section->find("after");
    if (after) return after->duration(1ms, 10min);
    value.complain("after is missing: the time without a first token, such as {after: 800ms}");
    return std::nullopt;
}

}  // namespace

std::optional<router::Timeouts> read_timeouts(const Value& value) {
    const auto section = value.section(keys_of_timeouts);
    if (!section) return std::nullopt;
    router::Timeouts timeouts;
    section->read("connect", read_time, timeouts.connect);
    section->read("first_token", read_time, timeouts.first_token);
    section->read("idle", read_time, timeouts.idle);
    section->read("total", read_time, timeouts.total);
    return timeouts;
}

std::optional<std::int64_t> read_retries(const Value& value) {
    return value.whole_number(0, limits::retries_max);
}

std::optional<std::int64_t> read_concurrent(const Value& value) {
    return value.whole_number(1, concurrent_max);
}

std::optional<router::Policy> read_common_policy(const Value& value) {
    const auto section = value.section(keys_of_common_policy);
    if (!section) return std::nullopt;
    return read_policy(*section);
}

router::Policy read_policy(const Section& model) {
    router::Policy policy;
    model.read("strategy", read_strategy, policy.strategy);
    model.read("retries", read_retries, policy.retries);
    model.read("timeout", read_time, policy.timeout);
    model.read("timeouts", read_timeouts, policy.timeouts);
    model.read("hedge", read_hedge, policy.hedge_after);
    model.read("midstream", read_midstream, policy.midstream);
    model.read("failover_scope", read_failover_scope, policy.failover_scope);
    return policy;
}

}  // namespace runnel::config
