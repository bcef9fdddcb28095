#pragma once

#include "telemetry/histogram.hpp"
#include "telemetry/metric_page.hpp"
#include "telemetry/request_sums.hpp"

namespace runnel::telemetry {

// Puts what requests came to on the page.
void write_requests(const RequestSums& sums, MetricPage* page);

// What all threads' streams do.
struct StreamSums {
    std::int64_t open = 0;
    std::int64_t pings = 0;
    Gaps gaps{};
};
void write_streams(const StreamSums& sums, MetricPage* page);

}  // namespace runnel::telemetry
