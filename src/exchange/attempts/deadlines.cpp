#include "exchange/attempts/deadlines.hpp"

#include "base/limits.hpp"

#include <algorithm>

namespace runnel::exchange {

Deadlines deadlines_for(const router::Timeouts& said, chat::Streaming streaming, Chance chance,
                        const std::optional<RequestTime>& request) {
    Deadlines deadlines{};
    deadlines.total = said.total.value_or(limits::total_time);
    if (request && request->left < deadlines.total) {
        deadlines.total = std::max(request->left, std::chrono::milliseconds(0));
        deadlines.request_timeout = request->whole;
    }
    deadlines.connect = said.connect.value_or(limits::connect_time);
    deadlines.idle = said.idle.value_or(limits::idle_time);
    const bool streams = streaming == chat::Streaming::yes;
    if (said.first_token) {
        deadlines.first_token = *said.first_token;
    } else if (chance == Chance::others_follow) {
        deadlines.first_token = streams ? limits::first_token_time : limits::last_first_token_time;
    } else {
        deadlines.first_token = streams ? limits::last_first_token_time : deadlines.total;
    }
    return deadlines;
}

}  // namespace runnel::exchange
