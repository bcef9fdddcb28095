#pragma once

#include "http/client/client.hpp"
#include "tools/config.hpp"
#include "tools/source.hpp"

namespace runnel::tools {

// The web, by way of the search engine that the config names.
class WebSearch final : public ToolSource {
public:
    // `client` must outlive it.
    WebSearch(SearchConfig config, ToolLimits limits, http::Client* client);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    SearchConfig config_;
    ToolLimits limits_;
    http::Client* client_;
};

}  // namespace runnel::tools
