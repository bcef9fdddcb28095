#include "tools/make_source.hpp"

#include "tools/address_guard.hpp"
#include "tools/builtin/calculator_tool.hpp"
#include "tools/builtin/fetch_url.hpp"
#include "tools/builtin/now.hpp"
#include "tools/builtin/web_search.hpp"
#include "tools/http_tool.hpp"
#include "tools/local_tool.hpp"
#include "tools/mcp/server.hpp"

#include <chrono>

namespace runnel::tools {
namespace {

using Made = Result<std::unique_ptr<ToolSource>>;

// One overload per kind of entry.
struct Maker {
    const ToolConfig& config;
    ToolThread* thread;
    http::Environment environment;
    const std::vector<std::string>& hidden;

    FetchUrl::MayConnectTo guard() const {
        return config.private_addresses == ToolConfig::PrivateAddresses::refused ? is_public_address
                                                                                 : nullptr;
    }

    Made operator()(const McpHttpConfig& server) const {
        return make_mcp_http({.name = config.name,
                              .url = server.url,
                              .headers = server.headers,
                              .allow = config.allow,
                              .limits = config.limits,
                              .hook_key = config.hook_key},
                             environment, &thread->tasks(), &thread->client());
    }

    Made operator()(const McpStdioConfig& server) const {
        return make_mcp_stdio({.name = config.name,
                               .command = server.command,
                               .args = server.args,
                               .env = server.env,
                               .cwd = server.folder,
                               .user = server.user,
                               .sandbox = server.sandbox,
                               .hidden = hidden,
                               .allow = config.allow,
                               .limits = config.limits,
                               .hook_key = config.hook_key},
                              &thread->tasks());
    }

    Made operator()(const HttpToolConfig& http) const {
        return std::make_unique<HttpTool>(config.name, http, config.limits, config.hook_key,
                                          &thread->client());
    }

    Made operator()(const BuiltInConfig& built_in) const {
        if (built_in.name == "fetch_url")
            return std::make_unique<FetchUrl>(config.limits, guard(), &thread->client());
        if (built_in.name == web_search_tool)
            return std::make_unique<WebSearch>(built_in.search, config.limits, &thread->client());
        if (built_in.name == "calculator")
            return std::make_unique<LocalTool>(calculator_spec(), run_calculator);
        return std::make_unique<LocalTool>(now_spec(), [](const Arguments& arguments) {
            const auto now = std::chrono::system_clock::now();
            return run_now(arguments, std::chrono::floor<std::chrono::seconds>(now));
        });
    }
};

}  // namespace

Made make_source(const ToolConfig& config, ToolThread* thread, http::Environment environment,
                 const std::vector<std::string>& hidden) {
    return std::visit(Maker{config, thread, environment, hidden}, config.kind);
}

}  // namespace runnel::tools
