#include "tools/mcp/server.hpp"

#include "http/client/destination.hpp"
#include "http/client/url.hpp"
#include "tools/mcp/http.hpp"
#include "tools/mcp/source.hpp"
#include "tools/mcp/stdio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {
namespace {

// The last of two is not what every program takes.
void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value) {
    const std::string begin = fmt::format("{}=", name);
    std::erase_if(environment, [&](const std::string& one) { return one.starts_with(begin); });
    environment.push_back(begin + std::string(value));
}

bool fits_into_a_line(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

Result<std::unique_ptr<ToolSource>> make_mcp_http(McpHttpServer config,
                                                  http::Environment environment,
                                                  http::TaskGroup* tasks, http::Client* client) {
    const auto at_fault = [&](std::string_view why) {
        return fail(ErrorKind::invalid_value, fmt::format("tools.{}: {}", config.name, why));
    };
    auto url = http::read_url(config.url);
    if (!url) return at_fault(url.error().message);
    for (const auto& [name, value] : config.headers)
        if (!fits_into_a_line(name) || !fits_into_a_line(value.reveal()))
            return at_fault(fmt::format("the header '{}' has a line break in it", name));
    auto destination = http::find_destination(url->origin, config.proxy, environment);
    if (!destination) return at_fault(destination.error().message);

    mcp::Endpoint endpoint{std::move(*destination), url->target, url->origin,
                           std::move(config.headers)};
    endpoint.url += url->target.substr(0, url->target.find('?'));
    auto transport = std::make_shared<mcp::HttpTransport>(std::move(endpoint), tasks, client);
    mcp::SourceConfig source{std::move(config.name), std::move(config.allow), config.limits,
                             std::move(config.hook_key)};
    return std::make_unique<mcp::Source>(std::move(source), std::move(transport),
                                         tasks->executor());
}

Result<std::unique_ptr<ToolSource>> make_mcp_stdio(McpStdioServer config, http::TaskGroup* tasks) {
    ChildProcess::Command command{std::move(config.command), std::move(config.args),
                                  harmless_environment(), std::move(config.cwd)};
    command.sandbox = std::move(config.sandbox);
    command.hidden = std::move(config.hidden);
    if (!config.user.empty()) {
        auto account = find_account(config.user);
        if (!account)
            return fail(ErrorKind::invalid_value,
                        fmt::format("tools.{}.mcp.user: {}", config.name, account.error().message));
        set_variable(command.environment, "HOME", account->home);
        set_variable(command.environment, "USER", account->name);
        set_variable(command.environment, "LOGNAME", account->name);
        command.account = std::move(*account);
    }
    // In a sandbox it gets a folder of its own.
    if (command.sandbox.on)
        std::erase_if(command.environment,
                      [](const std::string& one) { return one.starts_with("TMPDIR="); });
    for (const auto& [name, value] : config.env)
        set_variable(command.environment, name, value.reveal());
    auto transport = std::make_shared<mcp::StdioTransport>(config.name, std::move(command), tasks);
    mcp::SourceConfig source{std::move(config.name), std::move(config.allow), config.limits,
                             std::move(config.hook_key), config.start_time};
    return std::make_unique<mcp::Source>(std::move(source), std::move(transport),
                                         tasks->executor());
}

}  // namespace runnel::tools
