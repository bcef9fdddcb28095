#include "config/sections/tool.hpp"

#include "base/is_in.hpp"
#include "base/nearest.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/sections/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using tools::BuiltInConfig;
using tools::McpHttpConfig;
using tools::McpStdioConfig;
using tools::SandboxConfig;
using tools::SearchConfig;
using tools::ToolConfig;

constexpr std::string_view keys_of_tool[] = {"mcp",     "http",    "builtin",           "allow",
                                             "headers", "timeout", "result_limit",      "provider",
                                             "url",     "api_key", "private_addresses", "hook_key"};
constexpr std::string_view tool_kinds[] = {"mcp", "http", "builtin"};
constexpr std::string_view keys_of_command[] = {"command", "args", "env", "cwd", "user", "sandbox"};
constexpr std::string_view keys_of_sandbox[] = {"read", "write", "network", "local_sockets"};
constexpr std::string_view keys_of_search[] = {"provider", "url", "api_key"};
constexpr std::string_view search_providers[] = {"searxng", "brave", "tavily"};

constexpr std::size_t result_bytes_max = 16 * limits::mib;

std::optional<std::string> web_url(const Value& value) {
    return value.text_that(is_web_url, "a URL such as https://example.com/path");
}

std::vector<std::string> read_texts(const Value& value) {
    std::vector<std::string> texts;
    for (const Value& item : value.list())
        if (auto text = item.text()) texts.push_back(std::move(*text));
    return texts;
}

void refuse_key(const Section& section, std::string_view key, std::string_view why) {
    if (const Value* value = section.find(key)) value->complain(why);
}

void read_environment(const Entry& entry, McpStdioConfig& server) {
    if (entry.key.empty() || entry.key.contains('=')) {
        entry.name.complain("this is not the name of an environment variable");
        return;
    }
    if (auto text = entry.value.secret()) server.env.emplace_back(entry.key, std::move(*text));
}

std::vector<std::string> read_paths(const Value& value) {
    std::vector<std::string> paths;
    for (const Value& item : value.list())
        if (auto path = item.some_text()) paths.push_back(std::move(*path));
    return paths;
}

SandboxConfig read_sandbox(const Value& value) {
    SandboxConfig sandbox;
    if (value.node().kind == Node::Kind::scalar) {
        sandbox.on = value.node().text != "off";
        if (sandbox.on && value.node().text != "on")
            value.refuse("on, off or a map such as {read: [/srv/docs], network: false}");
        return sandbox;
    }
    const auto section = value.section(keys_of_sandbox);
    if (!section) return sandbox;
    if (const Value* read = section->find("read")) sandbox.read = read_paths(*read);
    if (const Value* write = section->find("write")) sandbox.write = read_paths(*write);
    section->read("network", &Value::boolean, sandbox.network);
    section->read("local_sockets", &Value::boolean, sandbox.local_sockets);
    return sandbox;
}

McpStdioConfig read_command(const Value& value) {
    McpStdioConfig server;
    const auto section = value.section(keys_of_command);
    if (!section) return server;
    if (!section->find("command"))
        value.complain("command is missing; an MCP server is a URL, or a command to start such as "
                       "{command: npx, args: [-y, server-name]}");
    section->read("command", &Value::some_text, server.command);
    if (const Value* args = section->find("args")) server.args = read_texts(*args);
    if (const Value* env = section->find("env"))
        for (const Entry& entry : env->entries()) read_environment(entry, server);
    section->read("cwd", &Value::some_text, server.folder);
    section->read("user", &Value::some_text, server.user);
    if (const Value* sandbox = section->find("sandbox")) server.sandbox = read_sandbox(*sandbox);
    return server;
}

void read_mcp(const Value& value, const Section& section, ToolConfig& tool) {
    const Value* headers = section.find("headers");
    if (value.node().kind == Node::Kind::map) {
        tool.kind = read_command(value);
        if (headers) headers->complain("only an MCP server with a URL is sent headers");
        return;
    }
    McpHttpConfig server;
    if (auto url = web_url(value)) server.url = std::move(*url);
    if (headers)
        for (auto& [name, text] : read_headers(*headers))
            server.headers.emplace_back(name, std::move(text));
    tool.kind = std::move(server);
}

SearchConfig::Provider provider_named(std::string_view name) {
    return name == "brave"    ? SearchConfig::Provider::brave
           : name == "tavily" ? SearchConfig::Provider::tavily
                              : SearchConfig::Provider::searxng;
}

SearchConfig read_search(const Value& built_in, const Section& section) {
    SearchConfig search;
    const Value* provider = section.find("provider");
    const auto name = provider ? provider->one_of(search_providers) : std::nullopt;
    if (!provider)
        built_in.complain(fmt::format("provider is missing; web_search asks one of {}",
                                      fmt::join(search_providers, ", ")));
    section.read("url", web_url, search.url);
    if (const Value* written = section.find("api_key")) {
        auto key = written->secret();
        if (key && !is_header_value(*key)) {
            written->complain("a key cannot have line breaks or other control characters in it");
        } else if (key) {
            search.api_key = Secret(std::move(*key));
        }
    }
    if (!name) return search;
    search.provider = provider_named(*name);
    if (search.provider == SearchConfig::Provider::searxng) {
        if (!section.find("url"))
            provider->complain("url is missing: where SearXNG is, such as http://127.0.0.1:8888");
    } else if (!section.find("api_key")) {
        provider->complain(fmt::format("api_key is missing; {} needs one", *name));
    }
    return search;
}

void read_built_in(const Value& value, const Section& section, ToolConfig& tool) {
    BuiltInConfig built_in;
    if (auto name = value.one_of(tools::built_in_tools)) built_in.name = std::move(*name);
    if (built_in.name == tools::web_search_tool) {
        built_in.search = read_search(value, section);
    } else if (!built_in.name.empty()) {
        for (const std::string_view key : keys_of_search)
            refuse_key(section, key, "only web_search has this");
    }
    refuse_key(section, "headers", "a built-in tool has no headers of its own");
    refuse_key(section, "hook_key", "a built-in tool asks nobody who could check it");
    tool.kind = std::move(built_in);
}

void read_kind(const Entry& entry, const Section& section, ToolConfig& tool) {
    const Value* found = nullptr;
    for (const std::string_view key : tool_kinds) {
        const Value* value = section.find(key);
        if (value && found) {
            value->complain("an entry is one of mcp, http and builtin; make two of it");
            return;
        }
        if (value) found = value;
    }
    if (!found) {
        entry.name.complain("this says nothing of what it is: an MCP server (mcp), one tool behind "
                            "a URL (http) or a built-in tool (builtin)");
        return;
    }
    const bool is_mcp = found == section.find("mcp");
    const bool is_http = found == section.find("http");
    if (is_mcp) read_mcp(*found, section, tool);
    if (is_http) tool.kind = read_http_tool(*found);
    if (!is_mcp && !is_http) read_built_in(*found, section, tool);
    if (!is_mcp) refuse_key(section, "allow", "this is one tool; only an MCP server has several");
    if (is_http) refuse_key(section, "headers", "write this under http, beside its url");
    if (is_mcp || is_http)
        for (const std::string_view key : keys_of_search)
            refuse_key(section, key, "only web_search has this");
}

// bcrypt looks at no more than this.
constexpr std::size_t hook_key_bytes_max = 72;

void read_hook_key(const Value& value, ToolConfig& tool) {
    auto key = value.secret();
    if (!key) return;
    if (key->empty() || key->size() > hook_key_bytes_max || key->contains('\0')) {
        value.complain(fmt::format("a hook key has 1 to {} bytes", hook_key_bytes_max));
        return;
    }
    tool.hook_key = Secret(std::move(*key));
}

}  // namespace

std::optional<ToolConfig> read_tool(const Entry& entry) {
    const std::size_t problems = entry.name.problem_count();
    if (!is_tool_name(entry.key))
        entry.name.complain("a tool's name has up to 64 letters, digits, '_' and '-' only");
    const auto section = entry.value.section(keys_of_tool);
    if (!section) return std::nullopt;
    ToolConfig tool{entry.key, {}};
    read_kind(entry, *section, tool);
    if (const Value* allow = section->find("allow")) tool.allow = read_texts(*allow);
    const auto time = [](const Value& value) { return value.duration(1ms, 10min); };
    const auto size = [](const Value& value) { return value.size(limits::kib, result_bytes_max); };
    section->read("timeout", time, tool.limits.time);
    section->read("result_limit", size, tool.limits.result_bytes);
    if (const Value* written = section->find("hook_key")) read_hook_key(*written, tool);
    bool private_addresses = false;
    section->read("private_addresses", &Value::boolean, private_addresses);
    if (private_addresses) tool.private_addresses = ToolConfig::PrivateAddresses::allowed;
    if (entry.name.problem_count() > problems) return std::nullopt;
    return tool;
}

KnownTools::KnownTools(std::span<const Entry> written) {
    for (const Entry& entry : written) names_.push_back(entry.key);
    for (const std::string_view name : tools::built_in_tools)
        if (name != tools::web_search_tool && !is_in(name, names_)) names_.push_back(name);
}

std::vector<std::string> KnownTools::read_names(const Value& value) const {
    std::vector<std::string> names;
    for (const Value& item : value.list()) {
        auto name = read_name(item);
        if (!name) continue;
        if (std::ranges::find(names, *name) != names.end()) {
            item.complain(fmt::format("'{}' is in this list already", item.node().text));
        } else {
            names.push_back(std::move(*name));
        }
    }
    return names;
}

std::optional<std::string> KnownTools::read_name(const Value& value) const {
    auto name = value.text();
    if (!name || is_in(*name, names_)) return name;
    if (*name == tools::web_search_tool) {
        value.complain("web_search must be told whom to ask; add an entry under tools such as "
                       "web_search: {builtin: web_search, provider: searxng, url: …}");
    } else {
        value.complain(fmt::format("no tool is named '{}'; it is an entry under tools, or now, "
                                   "calculator or fetch_url{}",
                                   value.node().text, did_you_mean(value.node().text, names_)));
    }
    return std::nullopt;
}

void add_built_in_tools(std::span<const Entry> written, Config& config) {
    const auto is_there = [&](const std::string& name) {
        return std::ranges::find(written, name, &Entry::key) != written.end() ||
               std::ranges::find(config.tools, name, &ToolConfig::name) != config.tools.end();
    };
    for (const Model& model : config.models)
        for (const std::string& name : model.tools)
            if (!is_there(name)) config.tools.push_back({name, BuiltInConfig{name}});
}

}  // namespace runnel::config
