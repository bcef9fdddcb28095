#include "agent/mcp.hpp"

#include "agent/mcp_http.hpp"
#include "agent/mcp_source.hpp"
#include "agent/mcp_stdio.hpp"
#include "agent/url.hpp"
#include "http/destination.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::agent {
namespace {

bool fits_into_a_line(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

Result<std::unique_ptr<ToolSource>> make_mcp_http(McpHttpServer config,
                                                  http::Environment environment,
                                                  http::TaskGroup* tasks,
                                                  http::ConnectionPool* pool) {
    const auto at_fault = [&](std::string_view why) {
        return fail(ErrorKind::invalid_value, fmt::format("tools.{}: {}", config.name, why));
    };
    auto url = read_url(config.url);
    if (!url) return at_fault(url.error().message);
    for (const auto& [name, value] : config.headers)
        if (!fits_into_a_line(name) || !fits_into_a_line(value.reveal()))
            return at_fault(fmt::format("the header '{}' has a line break in it", name));
    auto destination = http::find_destination(url->origin, config.proxy, environment);
    if (!destination) return at_fault(destination.error().message);

    mcp::Endpoint endpoint{std::move(*destination), url->target, url->origin,
                           std::move(config.headers)};
    endpoint.url += url->target.substr(0, url->target.find('?'));
    auto transport = std::make_shared<mcp::HttpTransport>(std::move(endpoint), tasks, pool);
    mcp::SourceConfig source{std::move(config.name), std::move(config.allow), config.limits,
                             std::move(config.hook_key)};
    return std::make_unique<mcp::Source>(std::move(source), std::move(transport),
                                         tasks->executor());
}

std::unique_ptr<ToolSource> make_mcp_stdio(McpStdioServer config, http::TaskGroup* tasks) {
    ChildProcess::Command command{std::move(config.command), std::move(config.args),
                                  harmless_environment(), std::move(config.cwd)};
    for (const auto& [name, value] : config.env) {
        // The last of two is not what every program takes.
        std::erase_if(command.environment, [&](const std::string& variable) {
            return variable.starts_with(name + "=");
        });
        command.environment.push_back(fmt::format("{}={}", name, value.reveal()));
    }
    auto transport = std::make_shared<mcp::StdioTransport>(config.name, std::move(command), tasks);
    mcp::SourceConfig source{std::move(config.name), std::move(config.allow), config.limits,
                             std::move(config.hook_key), config.start_time};
    return std::make_unique<mcp::Source>(std::move(source), std::move(transport),
                                         tasks->executor());
}

}  // namespace runnel::agent
