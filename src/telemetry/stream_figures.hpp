#pragma once

#include "base/own_count.hpp"
#include "telemetry/histogram.hpp"

namespace runnel::telemetry {

// What one thread's streams do, counted by that thread with every piece they send: no lock, no
// memory, no cache line of another thread's.
struct alignas(64) StreamFigures {
    OwnCount open;
    OwnCount pings;
    OwnHistogram<gap_bounds> gaps;  // between two pieces of a stream
};

}  // namespace runnel::telemetry
