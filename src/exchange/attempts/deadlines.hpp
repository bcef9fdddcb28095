#pragma once

#include "chat/request.hpp"
#include "router/policy.hpp"

#include <chrono>
#include <optional>

namespace runnel::exchange {

// How long one attempt may take, all told.
struct Deadlines {
    using Clock = std::chrono::steady_clock;

    std::chrono::milliseconds connect;
    std::chrono::milliseconds first_token;
    std::chrono::milliseconds idle;
    std::chrono::milliseconds total;
    std::optional<std::chrono::milliseconds> request_timeout{};  // where that is what bounds total
};

// The client's own time-out for its request.
struct RequestTime {
    std::chrono::milliseconds whole;
    std::chrono::milliseconds left;
};

// What nobody chose depends on the case: a silent stream is left for another target sooner than it
// is given up for good, and an answer that is not streamed shows nothing until it is whole.
enum class Chance { others_follow, last };
Deadlines deadlines_for(const router::Timeouts& said, chat::Streaming streaming, Chance chance,
                        const std::optional<RequestTime>& request);

}  // namespace runnel::exchange
