#pragma once

#include "agent/arguments.hpp"
#include "agent/tool_config.hpp"
#include "agent/tool_source.hpp"
#include "agent/web_client.hpp"
#include "http/connection_pool.hpp"

#include <string>

namespace runnel::agent {

// The request that a call makes: arguments with a placeholder go into the URL, the others into the
// query (GET, DELETE) or a JSON body. An error is for the model.
Result<WebRequest> write_tool_request(const HttpToolConfig& config, const Arguments& arguments);

// The request of a callback: who was called, with what, and for whom. `moment` is the time now.
Result<WebRequest> write_callback(const HttpToolConfig& config, const Arguments& arguments,
                                  const ToolCall& call, std::string_view moment);

// One tool behind a URL that the config names.
class HttpTool final : public ToolSource {
public:
    // `pool` must outlive it.
    HttpTool(std::string name, HttpToolConfig config, ToolLimits limits, Secret hook_key,
             http::ConnectionPool* pool);

    boost::asio::awaitable<Result<std::vector<ToolSpec>>> list(http::Stop* stop) override;
    boost::asio::awaitable<ToolOutcome> run(ToolCall call, http::Stop* stop) override;

private:
    ToolOutcome outcome_of(WebAnswer answer) const;

    std::string name_;
    HttpToolConfig config_;
    ToolLimits limits_;
    Secret hook_key_;
    http::ConnectionPool* pool_;
};

}  // namespace runnel::agent
