#pragma once

#include "base/secret.hpp"
#include "tools/limits.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// The entries under `tools:` in the config, as plain values.
namespace runnel::tools {

using Headers = std::vector<std::pair<std::string, Secret>>;

// An MCP server that is spoken to over Streamable HTTP.
struct McpHttpConfig {
    std::string url;
    Headers headers{};
    bool operator==(const McpHttpConfig&) const = default;
};

// What a program that is started here may touch; nothing of the gateway's own in any case.
struct SandboxConfig {
    bool on = true;
    std::optional<std::vector<std::string>> read{};  // beside the system; nothing: all there is
    std::vector<std::string> write{};                // beside caches and a folder of its own
    bool network = true;
    bool local_sockets = false;  // of other programs on this machine, such as Docker's
    bool operator==(const SandboxConfig&) const = default;
};

// An MCP server that is started here and spoken to over its standard input and output.
struct McpStdioConfig {
    std::string command;
    std::vector<std::string> args{};
    std::vector<std::pair<std::string, Secret>> env{};
    std::string folder{};  // to start it in; empty: ours
    std::string user{};    // to run it as; empty: ours
    SandboxConfig sandbox{};
    bool operator==(const McpStdioConfig&) const = default;
};

// One tool behind a URL.
struct HttpToolConfig {
    std::string url;  // with {placeholders} for arguments
    std::string method = "POST";
    Headers headers{};
    std::string description{};
    std::string parameters_json{};  // a JSON Schema of an object
    // What goes out: the arguments as they are, or a message about the call with them in it.
    enum class Form { arguments, callback } form = Form::arguments;
    bool operator==(const HttpToolConfig&) const = default;
};

// Who searches the web for web_search.
struct SearchConfig {
    enum class Provider { searxng, brave, tavily } provider = Provider::searxng;
    std::string url{};  // empty: the provider's own
    Secret api_key{};
    bool operator==(const SearchConfig&) const = default;
};

// One of those that ship with Runnel.
struct BuiltInConfig {
    std::string name;
    SearchConfig search{};
    bool operator==(const BuiltInConfig&) const = default;
};

inline constexpr std::string_view built_in_tools[] = {"now", "calculator", "fetch_url",
                                                      "web_search"};
// The one that needs to be told something.
inline constexpr std::string_view web_search_tool = "web_search";

struct ToolConfig {
    std::string name;
    std::variant<McpHttpConfig, McpStdioConfig, HttpToolConfig, BuiltInConfig> kind;
    std::vector<std::string> allow{};  // empty: all that it offers
    ToolLimits limits{};
    // With which an MCP server or an HTTP tool can tell that it is we who ask; empty: it can't.
    Secret hook_key{};
    // Whether addresses that a model can influence may be private ones.
    enum class PrivateAddresses { refused, allowed } private_addresses = PrivateAddresses::refused;
    bool operator==(const ToolConfig&) const = default;
};

}  // namespace runnel::tools
