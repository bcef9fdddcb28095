#include "tools/local_tool.hpp"

#include "tools/outcome.hpp"

namespace runnel::tools {

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

}  // namespace runnel::tools
