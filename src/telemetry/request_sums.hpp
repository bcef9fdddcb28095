#pragma once

#include "base/money.hpp"
#include "telemetry/by_labels.hpp"
#include "telemetry/histogram.hpp"
#include "telemetry/request_log.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace runnel::telemetry {

// What a model used through one provider, and how long it took.
struct ModelSums {
    // Kinds that do not overlap: all of them together are what was used.
    enum Kind : std::uint8_t { input, cache_read, cache_write, output, reasoning };
    static constexpr std::array<std::string_view, 5> kind_names{
        "input", "cache_read", "cache_write", "output", "reasoning"};

    std::array<std::int64_t, kind_names.size()> tokens{};
    Money cost{};
    RequestTimes first_token{};
    RequestTimes total{};

    ModelSums& operator+=(const ModelSums& other);
};

// What requests came to since the process began, for /metrics.
struct RequestSums {
    template <std::size_t Labels>
    using Counts = ByLabels<Labels, std::int64_t>;

    Counts<1> http;    // status
    Counts<1> errors;  // code
    // These of chat requests.
    Counts<5> requests;             // model, provider, dialect, stream, outcome
    ByLabels<2, ModelSums> models;  // model, provider
    Counts<2> attempts;             // provider, outcome
    Counts<1> failovers;            // the provider that failed, before another target was asked
    Counts<1> retries;              // provider: the same target was asked again
    Counts<1> hedges;               // provider
    Counts<1> cache;                // result
    Counts<2> tools;                // tool, outcome
    Counts<2> guardrails;           // guardrail, action

    // A request of any kind that is over.
    void add(const RequestRecord& record);
    // A chat request, besides; `model` is a configured one's name, or other_label.
    void add_chat(const RequestRecord& record, std::string_view model);

    RequestSums& operator+=(const RequestSums& other);
};

// The sums of one thread's requests. Its lock is free but for the moments when somebody reads.
class RequestTally {
public:
    void add(const RequestRecord& record) {
        const std::scoped_lock lock(mutex_);
        sums_.add(record);
    }
    void add_chat(const RequestRecord& record, std::string_view model) {
        const std::scoped_lock lock(mutex_);
        sums_.add_chat(record, model);
    }
    // From any thread.
    RequestSums read() const {
        const std::scoped_lock lock(mutex_);
        return sums_;
    }

private:
    mutable std::mutex mutex_;
    RequestSums sums_;
};

}  // namespace runnel::telemetry
