#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace runnel::tools {

// What a child process says on its standard error, line by line, for the log at its lowest level.
// However much that is, the log gets only so many lines of only so many bytes.
class LineLog {
public:
    using Time = std::chrono::steady_clock::time_point;

    // `tools`: the config's entry that it belongs to.
    void add(std::string_view bytes, std::string_view tools, Time now);
    // The last line that says anything, as it may be shown.
    const std::string& last_line() const { return last_line_; }

    // A line as it may be shown: cut, and without what looks like a credential.
    static std::string shown(std::string_view line);

private:
    void end_line(std::string_view tools, Time now);

    std::string line_;  // as far as it came, or as far as it is shown
    std::string last_line_;
    Time window_began_{};
    int lines_in_window_ = 0;
};

}  // namespace runnel::tools
