#include "cli/check.hpp"

#include "cli/config_file.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

namespace runnel::cli {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// What is legal and may still not be what was meant.
std::vector<std::string> warnings_for(const config::Config& config) {
    std::vector<std::string> warnings;
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
    if (!config.tls) return warnings;
    for (const std::string& file : {config.tls->cert, config.tls->key})
        if (::access(file.c_str(), R_OK) != 0)
            warnings.push_back(fmt::format("tls: {}: {}", file, std::strerror(errno)));
    return warnings;
}

}  // namespace

int check(std::string_view path, std::ostream& out, std::ostream& err) {
    const auto config = load_config(path, err);
    if (!config) return 1;
    fmt::print(out, "{}: ok, {} and {}\n", path, counted(config->providers.size(), "provider"),
               counted(config->models.size(), "model"));
    for (const std::string& warning : warnings_for(*config))
        fmt::print(err, "{}: warning: {}\n", path, warning);
    return 0;
}

}  // namespace runnel::cli
