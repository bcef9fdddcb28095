#pragma once

#include "base/limits.hpp"
#include "exchange/continuity.hpp"
#include "router/health.hpp"

namespace runnel::exchange {

// What all threads share, and what stays when the config is read again. Touched once or twice per
// request or attempt, never per chunk.
struct SharedState {
    Continuity continuity{limits::continuity_time, limits::continuity_bytes};
    router::Health health;
};

}  // namespace runnel::exchange
