#pragma once

#include "agent/tool_config.hpp"
#include "agent/tool_source.hpp"
#include "http/connection_pool.hpp"

namespace runnel::agent {

// The web, by way of the search engine that the config names.
class WebSearch final : public ToolSource {
public:
    // `pool` must outlive it.
    WebSearch(SearchConfig config, ToolLimits limits, http::ConnectionPool* pool);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    SearchConfig config_;
    ToolLimits limits_;
    http::ConnectionPool* pool_;
};

}  // namespace runnel::agent
