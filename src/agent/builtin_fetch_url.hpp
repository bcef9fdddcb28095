#pragma once

#include "agent/tool_config.hpp"
#include "agent/tool_source.hpp"
#include "agent/web_client.hpp"
#include "http/connection_pool.hpp"

namespace runnel::agent {

// The text of a page that the model names. Every address on the way is looked at, also those that
// redirects lead to.
class FetchUrl final : public ToolSource {
public:
    // `pool` must outlive it.
    FetchUrl(ToolLimits limits, ToolConfig::PrivateAddresses private_addresses,
             http::ConnectionPool* pool);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    struct Page {
        Url url;  // where it was in the end
        WebAnswer answer;
    };
    boost::asio::awaitable<Result<Page>> fetch(Url url, http::Stop* stop);
    ToolOutcome outcome_of(Page page) const;

    ToolLimits limits_;
    ToolConfig::PrivateAddresses private_addresses_;
    http::ConnectionPool* pool_;
};

}  // namespace runnel::agent
