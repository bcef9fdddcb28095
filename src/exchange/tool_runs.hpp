#pragma once

#include "agent/round_filter.hpp"
#include "agent/tool_box.hpp"
#include "exchange/gateway.hpp"
#include "exchange/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace runnel::exchange {

// Runs the calls that a model made in one round, side by side, and tells the client of each as it
// begins and ends.
class ToolRuns {
public:
    using Call = agent::RoundFilter::Call;

    // The pointers must outlive this.
    ToolRuns(Worker* worker, http::Transaction* transaction, Reply* reply,
             const agent::ToolBox* tools);

    // A call and the tool it is for. What is asked of it is what the model wrote, if that is JSON.
    struct Run {
        const Call* call;
        const agent::ToolBox::Offered* tool;
    };
    // In the order of the calls; when the client leaves, with whatever there is by then.
    boost::asio::awaitable<std::vector<agent::ToolOutcome>> run(std::vector<Run> runs,
                                                                const chat::Request* request);

private:
    struct Batch;

    static boost::asio::awaitable<void> run_one(std::shared_ptr<Batch> batch, std::size_t at);
    boost::asio::awaitable<void> tell(const Batch* batch, std::size_t at,
                                      timeline::ServerTool::State state);

    Worker* worker_;
    http::Transaction* transaction_;
    Reply* reply_;
    const agent::ToolBox* tools_;
    int count_ = 0;  // of this answer, for their ids
};

}  // namespace runnel::exchange
