#include "tools/sandbox/line_log.hpp"

#include "base/log.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace runnel::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t line_bytes_max = 500;
constexpr int lines_max = 100;  // in a window
constexpr auto window = 10s;

}  // namespace

std::string LineLog::shown(std::string_view line) {
    return redacted(with_valid_utf8(utf8_prefix(line, line_bytes_max)));
}

void LineLog::add(std::string_view bytes, std::string_view tools, Time now) {
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        // A byte more than is shown, so that the cut can be found.
        const std::size_t room = line_bytes_max + 1 - std::min(line_.size(), line_bytes_max + 1);
        line_ += bytes.substr(0, std::min(end, room));
        if (end < bytes.size()) end_line(tools, now);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
}

void LineLog::end_line(std::string_view tools, Time now) {
    std::string line = std::exchange(line_, {});
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    last_line_ = shown(line);
    if (now - window_began_ > window) {
        window_began_ = now;
        lines_in_window_ = 0;
    }
    if (++lines_in_window_ > lines_max) return;
    const bool last = lines_in_window_ == lines_max;
    log::Line(log::Level::debug, "mcp server says")
        .add("tools", tools)
        .add("line", last ? "(and more)" : last_line_)
        .write();
}

}  // namespace runnel::tools
