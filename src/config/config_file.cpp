#include "config/config_file.hpp"

#include "base/limits.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace runnel::config {
namespace {

// More than read_config() takes, so that it can say so; less than a mistaken path could hold.
constexpr std::size_t bytes_max = 2 * limits::mib;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// The file's text, or errno.
std::expected<std::string, int> read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
    if (!file) return std::unexpected(errno);
    std::string text(bytes_max, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get())) return std::unexpected(errno);  // a folder can be opened, not read
    text.shrink_to_fit();
    return text;
}

}  // namespace

const char* environment(const char* name) { return std::getenv(name); }

std::string folder_of(std::string_view path) {
    return std::filesystem::path(path).parent_path().string();
}

std::expected<std::string, std::vector<Problem>> read_config_text(std::string_view path) {
    auto text = read_file(std::string(path));
    if (!text) return std::unexpected(std::vector{Problem{0, 0, std::strerror(text.error())}});
    return std::move(*text);
}

std::expected<Config, std::vector<Problem>> read_config_file(std::string_view path) {
    const auto text = read_config_text(path);
    if (!text) return std::unexpected(text.error());
    return read_config(*text, environment, folder_of(path));
}

std::string text_of_defaults(const Config& config) {
    std::string text = fmt::format("listen: {}\ndata: {}\n", config.listen, config.data);
    if (!config.providers.empty()) text += "providers:\n";
    for (const Provider& provider : config.providers) {
        text += fmt::format("  {}: {{kind: {}", provider.name, provider.kind);
        if (!provider.base_url.empty())
            text += fmt::format(", base_url: \"{}\"", provider.base_url);
        if (!provider.cloud.region.empty())
            text += fmt::format(", region: {}", provider.cloud.region);
        if (!provider.keys.empty())
            text += fmt::format(", api_key: \"${{{}}}\"", provider::key_variable(provider.kind));
        text += "}\n";
    }
    if (config.traces)
        text += fmt::format("traces: {{endpoint: \"{}\", service_name: \"{}\"}}\n",
                            config.traces->endpoint, config.traces->service_name);
    return text;
}

std::string describe(std::string_view path, const Problem& problem) {
    if (problem.line == 0) return fmt::format("{}: {}", path, problem.message);
    return fmt::format("{}:{}:{}: {}", path, problem.line, problem.column, problem.message);
}

std::optional<Config> load_config(std::string_view path, std::ostream& err) {
    auto config = read_config_file(path);
    if (config) return std::move(*config);
    for (const Problem& problem : config.error()) fmt::print(err, "{}\n", describe(path, problem));
    return std::nullopt;
}

}  // namespace runnel::config
