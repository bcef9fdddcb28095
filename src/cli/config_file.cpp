#include "cli/config_file.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace runnel::cli {
namespace {

const char* environment(const char* name) { return std::getenv(name); }

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
    return text;
}

}  // namespace

std::optional<config::Config> load_config(std::string_view path, std::ostream& err) {
    const auto text = read_file(std::string(path));
    if (!text) {
        fmt::print(err, "{}: {}\n", path, std::strerror(text.error()));
        return std::nullopt;
    }
    auto config = config::read_config(*text, environment);
    if (config) return std::move(*config);
    for (const config::Problem& problem : config.error())
        fmt::print(err, "{}:{}:{}: {}\n", path, problem.line, problem.column, problem.message);
    return std::nullopt;
}

}  // namespace runnel::cli
