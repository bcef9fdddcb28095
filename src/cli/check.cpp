#include "cli/check.hpp"

#include "app/entrance.hpp"
#include "app/privacy.hpp"
#include "config/config_file.hpp"
#include "provider/registry.hpp"
#include "tools/sandbox/account.hpp"
#include "tools/sandbox/launch.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

namespace runnel::cli {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// As it will be looked for.
bool can_be_found(const std::string& program) {
    const std::string path = tools::find_program(program);
    return !path.empty() && ::access(path.c_str(), X_OK) == 0;
}

void add_warnings_for(const tools::ToolConfig& tool, std::vector<std::string>& warnings) {
    const auto* server = std::get_if<tools::McpStdioConfig>(&tool.kind);
    if (server == nullptr) return;
    std::error_code ignored;
    if (!server->folder.empty() && !std::filesystem::is_directory(server->folder, ignored))
        warnings.push_back(
            fmt::format("tools.{}.mcp.cwd: there is no folder '{}'", tool.name, server->folder));
    if (server->folder.empty() && !can_be_found(server->command))
        warnings.push_back(fmt::format("tools.{}.mcp.command: there is no program '{}' here; "
                                       "install it, or write its whole path",
                                       tool.name, server->command));
    const auto check = [&](std::string_view key, const std::vector<std::string>& paths) {
        for (const std::string& path : paths)
            if (!std::filesystem::exists(path, ignored))
                warnings.push_back(
                    fmt::format("tools.{}.mcp.sandbox.{}: there is no '{}'", tool.name, key, path));
    };
    if (server->sandbox.read) check("read", *server->sandbox.read);
    check("write", server->sandbox.write);
    if (server->user.empty()) return;
    if (const auto account = tools::find_account(server->user); !account)
        warnings.push_back(
            fmt::format("tools.{}.mcp.user: {}", tool.name, account.error().message));
}

// What is legal and may still not be what was meant.
std::vector<std::string> warnings_for(const config::Config& config) {
    std::vector<std::string> warnings;
    for (const tools::ToolConfig& tool : config.tools) add_warnings_for(tool, warnings);
    for (const config::Provider& provider : config.providers) {
        const std::string_view variable = provider::key_variable(provider.kind);
        if (std::ranges::any_of(provider.keys, &Secret::empty)) {
            warnings.push_back(fmt::format("providers.{}: a key is empty", provider.name));
        } else if (provider.keys.empty() && !variable.empty() && provider.base_url.empty()) {
            warnings.push_back(
                fmt::format("providers.{}: no api_key; ${{{}}} is where it usually is",
                            provider.name, variable));
        }
    }
    std::ranges::copy(app::warnings_about_files(config), std::back_inserter(warnings));
    if (!config.tls) return warnings;
    if (const auto tls = http::make_server_tls(app::tls_files(*config.tls)); !tls)
        warnings.push_back(tls.error().message);
    return warnings;
}

}  // namespace

int check(std::string_view path, std::ostream& out, std::ostream& err) {
    const auto config = config::load_config(path, err);
    if (!config) return 1;
    std::vector<std::string> parts = {counted(config->providers.size(), "provider"),
                                      counted(config->models.size(), "model")};
    if (!config->tools.empty()) parts.push_back(counted(config->tools.size(), "tool"));
    const std::string last = std::move(parts.back());
    parts.pop_back();
    fmt::print(out, "{}: ok, {} and {}\n", path, fmt::join(parts, ", "), last);
    for (const std::string& warning : warnings_for(*config))
        fmt::print(err, "{}: warning: {}\n", path, warning);
    return 0;
}

}  // namespace runnel::cli
