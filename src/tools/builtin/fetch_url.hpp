#pragma once

#include "http/client/client.hpp"
#include "tools/source.hpp"

namespace runnel::tools {

// The text of a page that the model names. Every address on the way is looked at, also those that
// redirects lead to.
class FetchUrl final : public ToolSource {
public:
    using MayConnectTo = bool (*)(const boost::asio::ip::address&);
    // `may_connect_to` as in ClientRequest. `client` must outlive it.
    FetchUrl(ToolLimits limits, MayConnectTo may_connect_to, http::Client* client);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    struct Page {
        http::Url url;  // where it was in the end
        http::ClientResponse answer;
    };
    boost::asio::awaitable<Result<Page>> fetch(http::Url url, http::Stop* stop);
    ToolOutcome outcome_of(Page page) const;

    ToolLimits limits_;
    MayConnectTo may_connect_to_;
    http::Client* client_;
};

}  // namespace runnel::tools
