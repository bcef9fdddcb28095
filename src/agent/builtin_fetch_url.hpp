#pragma once

#include "agent/tool_source.hpp"
#include "agent/web_client.hpp"
#include "http/connection_pool.hpp"

namespace runnel::agent {

// The text of a page that the model names. Every address on the way is looked at, also those that
// redirects lead to.
class FetchUrl final : public ToolSource {
public:
    using MayConnectTo = bool (*)(const boost::asio::ip::address&);
    // `may_connect_to` as in WebRequest. `pool` must outlive it.
    FetchUrl(ToolLimits limits, MayConnectTo may_connect_to, http::ConnectionPool* pool);

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
    MayConnectTo may_connect_to_;
    http::ConnectionPool* pool_;
};

}  // namespace runnel::agent
