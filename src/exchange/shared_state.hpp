#pragma once

#include "access/key_ring.hpp"
#include "base/memory_budget.hpp"
#include "config/config.hpp"
#include "exchange/admission/admission.hpp"
#include "exchange/background/background_runs.hpp"
#include "exchange/cache/cache_visit.hpp"
#include "exchange/continuity.hpp"
#include "metering/meter.hpp"
#include "router/health.hpp"
#include "storage/journal/unrecorded.hpp"

#include <chrono>
#include <vector>

namespace runnel::http {
class OpenConnections;
}

namespace runnel::storage {
class KeyKeeper;
class Recorder;
class StoreThread;
}  // namespace runnel::storage

namespace runnel::telemetry {
class TraceQueue;
}

namespace runnel::exchange {

struct Worker;

// What all threads share, and what stays when the config is read again. Touched once or twice per
// request or attempt, never per chunk.
struct SharedState {
    SharedState();

    MemoryBudget memory;  // first: many of the others draw on it
    KeptTurns kept_turns{&memory};
    router::Health health;
    Admissions admissions;

    // The keys that requests are checked against, and who changes them; null: there is no store.
    access::KeyRingBoard keys;
    storage::KeyKeeper* key_keeper = nullptr;

    // Null where there is no such thing.
    metering::Meter* meter = nullptr;             // of limits and budgets
    storage::StoreThread* queries = nullptr;      // what was asked, looked up
    const storage::Recorder* recorder = nullptr;  // brings records into the store
    telemetry::TraceQueue* traces = nullptr;      // what a collector is told

    // Those who serve requests, for who counts what they do. Complete before the first of them
    // does.
    struct Thread {
        const Worker* worker;
        const http::OpenConnections* clients;
    };
    std::vector<Thread> threads;
    std::chrono::sys_seconds started =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());

    BackgroundRuns background;
    storage::Unrecorded unrecorded;
    SharedCache cache{&memory};

    // As many as the config allows. `memory_bytes` is for requests and answers, together with what
    // is kept of them.
    void use_limits(const config::Config& config, std::size_t memory_bytes);
};

}  // namespace runnel::exchange
