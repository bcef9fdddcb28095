#pragma once

#include "chat/request.hpp"
#include "router/policy.hpp"

#include <chrono>

namespace runnel::exchange {

// How long one attempt may take, all told.
struct Deadlines {
    using Clock = std::chrono::steady_clock;

    std::chrono::milliseconds connect;
    std::chrono::milliseconds first_token;
    std::chrono::milliseconds idle;
    std::chrono::milliseconds total;
};

// What nobody chose depends on the case: a silent stream is left for another target sooner than it
// is given up for good, and an answer that is not streamed shows nothing until it is whole.
// `left` is what the client's own time-out for the request leaves.
enum class Chance { others_follow, last };
Deadlines deadlines_for(const router::Timeouts& said, chat::Streaming streaming, Chance chance,
                        std::chrono::milliseconds left);

}  // namespace runnel::exchange
