#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

// How a request is tried, as the config says it for a provider, for a model, or the client for one
// request. What is not said is empty, so that the more special word can win.
namespace runnel::router {

struct Timeouts {
    std::optional<std::chrono::milliseconds> connect{};
    std::optional<std::chrono::milliseconds> first_token{};
    std::optional<std::chrono::milliseconds> idle{};
    std::optional<std::chrono::milliseconds> total{};

    // These, and where they say nothing, the other's.
    Timeouts or_else(const Timeouts& other) const;
};

enum class Strategy { failover, weighted, least_latency };

// Whether the targets of a model are one model at several providers: those with the same name are,
// or all of them, because the config says so.
enum class SameModel { by_name, yes };

// What to do when an answer breaks off after the client has seen a part of it.
enum class Midstream {
    fail,     // say so
    verified  // ask the next target, and go on where its answer repeats what was seen
};

// How long another target may take over the rounds of an answer with tools that the gateway runs.
enum class FailoverScope {
    stream,  // as long as the client has seen nothing
    round    // as long as it has seen nothing of this round
};

struct Policy {
    Strategy strategy = Strategy::failover;
    std::optional<int> retries{};                        // of targets asked before, all in all
    std::optional<std::chrono::milliseconds> timeout{};  // for the whole request
    std::optional<std::chrono::milliseconds> hedge_after{};
    std::optional<Midstream> midstream{};
    std::optional<FailoverScope> failover_scope{};
    Timeouts timeouts{};

    // This, and where it says nothing, the other; but the strategy is each one's own.
    Policy or_else(const Policy& other) const;
};

// What is known of one model of one provider. Unknown is not no: such a model is asked.
struct ModelFacts {
    std::optional<bool> tools{};
    std::optional<bool> vision{};
    std::optional<bool> reasoning{};
    std::optional<bool> streaming{};
    std::optional<std::int64_t> context_length{};
    std::optional<std::int64_t> max_output{};

    ModelFacts or_else(const ModelFacts& other) const;
};

}  // namespace runnel::router
