#pragma once

#include "exchange/attempts/attempts.hpp"
#include "tools/rounds/round_filter.hpp"
#include "tools/tool_box.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace runnel::exchange {

// Runs the calls that a model made in one round, side by side, and tells the client of each as it
// begins and ends.
class ToolRuns {
public:
    using Call = tools::RoundFilter::Call;

    // All pointers must outlive this.
    ToolRuns(http::TaskGroup* tasks, MemoryBudget* memory, const Attempts::Client& client,
             const tools::ToolBox* tools);

    // A call, the tool it is for, and what is asked of that, if it is JSON: what the model wrote,
    // or what of it may be asked.
    struct Run {
        const Call* call;
        const tools::ToolBox::Offered* tool;
        std::string arguments_json;
    };
    // In the order of the calls; when the client leaves, or the time is over, with whatever there
    // is by then.
    using Clock = std::chrono::steady_clock;
    boost::asio::awaitable<std::vector<tools::ToolOutcome>>
    run(std::vector<Run> runs, const chat::Request* request, Clock::time_point deadline);

private:
    struct Batch;

    static boost::asio::awaitable<void> run_one(std::shared_ptr<Batch> batch, std::size_t at);
    static void stop_all(Batch* batch, http::Stop::Reason reason);
    boost::asio::awaitable<void> tell(const Batch* batch, std::size_t at,
                                      timeline::ServerTool::State state);

    void keep_result(Batch* batch, std::size_t at);
    void note_end(const Batch* batch, std::size_t at);

    http::TaskGroup* tasks_;
    http::Transaction* transaction_;
    telemetry::RequestRecord* record_;
    Reply* reply_;
    const tools::ToolBox* tools_;
    std::size_t count_ = 0;  // of this answer, for their ids
    HeldMemory memory_;      // of what they gave back: it stays in the conversation
    std::size_t result_bytes_ = 0;
};

}  // namespace runnel::exchange
