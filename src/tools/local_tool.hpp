#pragma once

#include "tools/arguments.hpp"
#include "tools/source.hpp"

#include <functional>

namespace runnel::tools {

// A tool that needs nothing but its arguments, and no time to speak of.
class LocalTool final : public ToolSource {
public:
    using Run = std::function<ToolOutcome(const Arguments& arguments)>;

    LocalTool(ToolSpec spec, Run run);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    ToolSpec spec_;
    Run run_;
};

}  // namespace runnel::tools
