#include "agent/make_source.hpp"

#include "agent/mcp.hpp"

namespace runnel::agent {
namespace {

using Made = Result<std::unique_ptr<ToolSource>>;

// One overload per kind of entry.
struct Maker {
    const ToolConfig& config;
    ToolThread* thread;
    http::Environment environment;

    Made operator()(const McpHttpConfig& server) const {
        return make_mcp_http({.name = config.name,
                              .url = server.url,
                              .headers = server.headers,
                              .allow = config.allow,
                              .limits = config.limits},
                             environment, &thread->tasks(), &thread->pool());
    }

    Made operator()(const McpStdioConfig& server) const {
        return make_mcp_stdio({.name = config.name,
                               .command = server.command,
                               .args = server.args,
                               .env = server.env,
                               .cwd = server.folder,
                               .allow = config.allow,
                               .limits = config.limits},
                              &thread->tasks());
    }

    Made operator()(const HttpToolConfig&) const { return nullptr; }
    Made operator()(const BuiltInConfig&) const { return nullptr; }
};

}  // namespace

Made make_source(const ToolConfig& config, ToolThread* thread, http::Environment environment) {
    return std::visit(Maker{config, thread, environment}, config.kind);
}

}  // namespace runnel::agent
