#pragma once

#include "agent/round_filter.hpp"
#include "agent/tool_box.hpp"
#include "exchange/attempts.hpp"
#include "exchange/json_review.hpp"
#include "exchange/tool_runs.hpp"

#include <boost/asio/awaitable.hpp>

#include <string_view>
#include <vector>

namespace runnel::exchange {

// Answers a request that may take more than one round: of a model that has tools of the gateway's,
// or for JSON. Asks the model, runs what it calls, tells it what came of it, and asks again, until
// it answers as it should or calls a tool of the client's. To the client that is one answer.
class ToolLoop {
public:
    // The pointers must outlive the loop. `review` may be null: then any answer is a good one.
    ToolLoop(const Attempts::Setting& setting, const agent::ToolBox* tools, chat::Request* request,
             router::Route* route, JsonReview* review);

    boost::asio::awaitable<void> run();

private:
    enum class Step { next_round, answered, failed };

    boost::asio::awaitable<Result<void>> offer_tools();
    Result<void> check_request() const;
    boost::asio::awaitable<Step> round();
    boost::asio::awaitable<Step> review_answer();
    boost::asio::awaitable<void> run_calls();
    void stay_with(std::size_t target);
    bool stopped() const { return setting_.transaction->stop->requested(); }

    Attempts::Setting setting_;
    const agent::ToolBox* tools_;
    chat::Request* request_;
    router::Route* route_;
    JsonReview* review_;
    std::vector<agent::ToolBox::Offered> offered_;
    agent::RoundFilter filter_;
    ToolRuns runs_;
    int rounds_left_;
};

}  // namespace runnel::exchange
