#include "config/text_file.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace runnel::config {

std::expected<std::string, std::string> read_text_file(const std::string& path,
                                                       std::size_t bytes_max) {
    // Reading anything but a file might never end.
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return std::unexpected(fmt::format("there is no file '{}'", path));
    const auto size = std::filesystem::file_size(path, error);
    if (error || size > bytes_max)
        return std::unexpected(
            fmt::format("the file '{}' is larger than {} bytes", path, bytes_max));
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
        return std::unexpected(fmt::format("the file '{}' can't be read", path));
    if (!is_utf8(text)) return std::unexpected(fmt::format("the file '{}' is not UTF-8", path));
    return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    constexpr std::string_view white = " \t\r";
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t first = std::min(line.find_first_not_of(white), line.size());
        line.remove_prefix(first);
        while (!line.empty() && white.contains(line.back())) line.remove_suffix(1);
        lines.push_back(line);
    }
    return lines;
}

}  // namespace runnel::config
