#include "agent/local_tool.hpp"

#include "agent/outcome.hpp"

namespace runnel::agent {

using boost::asio::awaitable;

LocalTool::LocalTool(ToolSpec spec, Run run) : spec_(std::move(spec)), run_(std::move(run)) {}

awaitable<Result<std::vector<ToolSpec>>> LocalTool::list(http::Stop*) {
    co_return std::vector{spec_};
}

awaitable<ToolOutcome> LocalTool::run(ToolCall call, http::Stop*) {
    const auto arguments = Arguments::read(std::move(call.arguments_json));
    if (!arguments) co_return failed_with(arguments.error().message);
    co_return run_(*arguments);
}

}  // namespace runnel::agent
