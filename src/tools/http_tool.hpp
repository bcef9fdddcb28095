#pragma once

#include "http/client/client.hpp"
#include "tools/arguments.hpp"
#include "tools/config.hpp"
#include "tools/source.hpp"

#include <string>

namespace runnel::tools {

// The request that a call makes: arguments with a placeholder go into the URL, the others into the
// query (GET, DELETE) or a JSON body. An error is for the model.
Result<http::ClientRequest> write_tool_request(const HttpToolConfig& config,
                                               const Arguments& arguments);

// The request of a callback: who was called, with what, and for whom. `moment` is the time now.
Result<http::ClientRequest> write_callback(const HttpToolConfig& config, const Arguments& arguments,
                                           const ToolCall& call, std::string_view moment);

// One tool behind a URL that the config names.
class HttpTool final : public ToolSource {
public:
    // `client` must outlive it.
    HttpTool(std::string name, HttpToolConfig config, ToolLimits limits, Secret hook_key,
             http::Client* client);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    ToolOutcome outcome_of(http::ClientResponse answer) const;

    std::string name_;
    HttpToolConfig config_;
    ToolLimits limits_;
    Secret hook_key_;
    http::Client* client_;
};

}  // namespace runnel::tools
