#include "agent/mcp.hpp"

#include "agent/mcp_http.hpp"
#include "agent/mcp_source.hpp"
#include "agent/mcp_stdio.hpp"
#include "http/destination.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::agent {
namespace {

// A URL's parts, as far as a request needs them.
struct Url {
    std::string_view origin;
    std::string_view path;  // and query
};

Url split(std::string_view url) {
    url = url.substr(0, url.find('#'));
    const std::size_t scheme_end = url.find("://");
    const std::size_t host = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
    const std::size_t path = std::min(url.find_first_of("/?", host), url.size());
    return {url.substr(0, path), url.substr(path)};
}

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
    const Url url = split(config.url);
    if (url.origin.find('@') != std::string_view::npos)
        return at_fault("put the password into `headers`, not into the URL");
    if (std::ranges::any_of(config.url, [](char c) { return c <= ' ' || c > '~'; }))
        return at_fault("the URL has a character that must be written as %xx");
    for (const auto& [name, value] : config.headers)
        if (!fits_into_a_line(name) || !fits_into_a_line(value.reveal()))
            return at_fault(fmt::format("the header '{}' has a line break in it", name));
    auto destination = http::find_destination(url.origin, config.proxy, environment);
    if (!destination) return at_fault(destination.error().message);

    mcp::Endpoint endpoint{std::move(*destination), std::string(url.path), std::string(url.origin),
                           std::move(config.headers)};
    if (!endpoint.path.starts_with('/')) endpoint.path.insert(0, 1, '/');
    endpoint.url += endpoint.path.substr(0, endpoint.path.find('?'));
    auto transport = std::make_shared<mcp::HttpTransport>(std::move(endpoint), tasks, pool);
    mcp::SourceConfig source{std::move(config.name), std::move(config.allow), config.limits};
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
                             config.start_time};
    return std::make_unique<mcp::Source>(std::move(source), std::move(transport),
                                         tasks->executor());
}

}  // namespace runnel::agent
