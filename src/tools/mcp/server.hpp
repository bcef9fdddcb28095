#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/client/client.hpp"
#include "http/client/origin.hpp"
#include "http/task_group.hpp"
#include "tools/config.hpp"
#include "tools/source.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The tools of MCP servers (modelcontextprotocol.io), of either era of the protocol.
namespace runnel::tools {

// `tools: {NAME: {mcp: URL}}`: a server somewhere, over Streamable HTTP.
struct McpHttpServer {
    std::string name;                                       // the entry's
    std::string url;                                        // "https://host/mcp"
    std::vector<std::pair<std::string, Secret>> headers{};  // e.g. Authorization
    std::vector<std::string> allow{};  // the server's names of tools that may be used; empty: all
    ToolLimits limits{};
    std::string proxy{};  // empty: as the environment says
    Secret hook_key{};    // see hook_nonce.hpp
};
// The error names the entry. The pointers must outlive the source and its tasks, which end by
// themselves when it goes.
Result<std::unique_ptr<ToolSource>> make_mcp_http(McpHttpServer config,
                                                  http::Environment environment,
                                                  http::TaskGroup* tasks, http::Client* client);

// `tools: {NAME: {mcp: {command: …}}}`: a child process, over its standard input and output. It
// gets PATH, HOME and the like of our environment, but none of our keys. The process must ignore
// SIGPIPE. The error names the entry.
struct McpStdioServer {
    std::string name;     // the entry's
    std::string command;  // looked for in PATH
    std::vector<std::string> args{};
    std::vector<std::pair<std::string, Secret>> env{};  // on top of the usual
    std::string cwd{};                                  // empty: ours
    std::string user{};                                 // to run it as; empty: ours
    SandboxConfig sandbox{};
    std::vector<std::string> hidden{};  // the gateway's own files, which no sandbox gives it
    std::vector<std::string> allow{};
    ToolLimits limits{};
    Secret hook_key{};
    // npx may have to fetch the server first.
    std::chrono::milliseconds start_time{std::chrono::seconds(60)};
};
Result<std::unique_ptr<ToolSource>> make_mcp_stdio(McpStdioServer config, http::TaskGroup* tasks);

}  // namespace runnel::tools
