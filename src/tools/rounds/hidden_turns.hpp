#pragma once

#include "base/expiring_store.hpp"
#include "chat/request.hpp"
#include "tools/rounds/round_filter.hpp"
#include "tools/rounds/turn_keys.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// A model may call tools of the gateway's and of the client's in one turn. The client is shown its
// own calls only, so the others and their results are kept here until it comes back with its
// results, and put into the conversation again. Where they are lost, the conversation is shorter
// and still a valid one.
class HiddenTurns {
public:
    using Clock = std::chrono::steady_clock;
    struct Result {
        RoundFilter::Call call;
        std::string text;  // what came of it
    };

    HiddenTurns(std::chrono::milliseconds lifetime, std::size_t bytes_max,
                MemoryBudget* budget = nullptr)
        : turns_(lifetime, bytes_max, budget) {}

    // `shown` are the calls of the same turn, of that key, that the client will answer.
    void remember(std::string_view turn_key, std::span<const RoundFilter::Call> shown,
                  std::vector<Result> hidden, Clock::time_point now);
    void recall(chat::Request* request, const TurnKeys& turn_keys, Clock::time_point now) const;

private:
    std::optional<std::vector<Result>>
    find_hidden(const chat::Message& turn, const TurnKeys& turn_keys, Clock::time_point now) const;

    ExpiringStore<std::vector<Result>> turns_;  // by turn_key, id and name of each call shown
};

}  // namespace runnel::tools
