#include "base/log.hpp"

#include "base/letters.hpp"
#include "base/limits.hpp"
#include "base/release.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace runnel::log {
namespace {

constexpr std::array<std::string_view, 5> names{"debug", "info", "warning", "error", "off"};

constexpr spdlog::level::level_enum spdlog_level(Level level) {
    constexpr std::array levels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                spdlog::level::err, spdlog::level::off};
    return levels[static_cast<std::size_t>(level)];
}

Format format_in_use();

bool stderr_is_a_file() {
    struct stat status{};
    return ::fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

// As much as anything that is ready takes without making anybody wait, and whole lines, so that
// those of two processes do not mix.
std::string_view next_piece(std::string_view bytes) {
    if (bytes.size() <= PIPE_BUF) return bytes;
    const std::size_t end = bytes.rfind('\n', PIPE_BUF - 1);
    return bytes.substr(0, end == std::string_view::npos ? PIPE_BUF : end + 1);
}

// Lines of a moment go out in one write, by a thread of their own: a request pays for a copy, not
// for the disk. What is left when the process ends is written then. Nobody waits for whoever reads
// stderr: of lines that come while too many are unwritten only the number is told.
//
// spdlog's own asynchronous queue would not do: it is bounded by messages and not by bytes, gathers
// nothing, its flush does not wait, and its end waits for whoever reads stderr without limit.
class StderrSink final : public spdlog::sinks::sink {
public:
    ~StderrSink() override {
        {
            std::scoped_lock lock(mutex_);
            last_ = Clock::now() + last_time;
        }
        arrived_.notify_one();
        writer_.join();
    }

    void log(const spdlog::details::log_msg& message) override {
        bool first;
        {
            std::scoped_lock lock(mutex_);
            const std::size_t bytes = message.payload.size();
            if (gathered_.size() + writing_ + bytes > limits::unwritten_log_bytes) {
                dropped_.fetch_add(1, std::memory_order_relaxed);
                return;
            }
            first = gathered_.empty();
            gathered_.append(message.payload.data(), bytes);
        }
        if (first) arrived_.notify_one();
    }
    void flush() override {
        std::unique_lock lock(mutex_);
        written_.wait(lock, [&] { return gathered_.empty() && writing_ == 0; });
    }
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    // A line comes formatted.
    void set_pattern(const std::string&) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

private:
    using Clock = std::chrono::steady_clock;

    void write_gathered() {
        std::string lines;
        std::unique_lock lock(mutex_);
        while (true) {
            arrived_.wait(lock, [&] { return last_ || !gathered_.empty(); });
            if (gathered_.empty()) return;
            // A moment for others to join; none at the end.
            arrived_.wait_for(lock, gather_time, [&] { return last_.has_value(); });
            std::swap(lines, gathered_);
            writing_ = lines.size();
            lock.unlock();
            tell_dropped(lines);
            write_all(lines);
            lines.clear();
            if (lines.capacity() > kept_bytes) release(lines);
            lock.lock();
            writing_ = 0;
            written_.notify_all();
        }
    }
    // They would have come after these.
    void tell_dropped(std::string& lines) {
        const std::uint64_t dropped = this->dropped();
        if (dropped == told_) return;
        Line line(Level::warning, "log lines were dropped, because nobody read stderr",
                  format_in_use(), std::chrono::system_clock::now());
        lines += line.add("lines", dropped - told_).text() + '\n';
        told_ = dropped;
    }
    void write_all(std::string_view bytes) {
        const bool at_once = stderr_is_a_file();
        pollfd stderr_takes{STDERR_FILENO, POLLOUT, 0};
        while (!bytes.empty()) {
            if (::poll(&stderr_takes, 1, look_time.count()) <= 0) {
                if (is_too_late()) return;
                continue;
            }
            const std::string_view piece = at_once ? bytes : next_piece(bytes);
            const ssize_t written = ::write(STDERR_FILENO, piece.data(), piece.size());
            if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (written <= 0) return;  // there is nobody left to tell
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    bool is_too_late() {
        std::scoped_lock lock(mutex_);
        return last_ && Clock::now() > *last_;
    }

    static constexpr auto gather_time = std::chrono::milliseconds(10);
    static constexpr auto last_time = std::chrono::seconds(1);  // when the process ends
    static constexpr std::chrono::duration<int, std::milli> look_time{100};
    static constexpr std::size_t kept_bytes = 128 * 1024;  // for the next lines

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::condition_variable written_;
    std::string gathered_;
    std::size_t writing_ = 0;                // bytes
    std::optional<Clock::time_point> last_;  // the process ends, and nobody waits for longer
    std::atomic<std::uint64_t> dropped_ = 0;
    std::uint64_t told_ = 0;                                 // the writer's
    std::thread writer_{&StderrSink::write_gathered, this};  // last: it uses all of the above
};

struct Process {
    std::atomic<Format> format{format_for_stderr()};
    std::shared_ptr<StderrSink> sink = std::make_shared<StderrSink>();
    spdlog::logger logger{"runnel", sink};
};

Process& process() {
    static Process process;
    return process;
}

Format format_in_use() { return process().format; }

void append_escaped(std::string& out, std::string_view value) {
    while (true) {
        const std::size_t plain = find_other<Letters::printable_ascii>(value, 0);
        out.append(value, 0, plain);
        value.remove_prefix(plain);
        if (value.empty()) return;
        const std::size_t length = utf8_sequence(value);
        const auto byte = static_cast<unsigned char>(value.front());
        if (length == 0 || is_hidden_control(value.substr(0, length))) {
            out += "\xEF\xBF\xBD";  // U+FFFD: a terminal that shows the log obeys nobody in it
        } else if (byte == '"' || byte == '\\') {
            out += '\\';
            out += value.front();
        } else if (byte == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else {
            out += value.substr(0, length);
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

void append_quoted(std::string& out, std::string_view value) {
    out += '"';
    append_escaped(out, value);
    out += '"';
}

// Whether a person reads it as one value without quotes.
bool is_one_word(std::string_view value) {
    return !value.empty() && std::ranges::all_of(value, [](char c) {
        return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '=';
    });
}

void append_padded(std::string& out, std::int64_t value, int digits) {
    const fmt::format_int text(value);
    if (static_cast<int>(text.size()) < digits) out.append(digits - text.size(), '0');
    out.append(text.data(), text.size());
}

// RFC 3339 in UTC. The seconds' part is the same for many lines, so each thread keeps its last one.
void append_time(std::string& out, Line::Time time) {
    using namespace std::chrono;
    const auto since_epoch = floor<milliseconds>(time.time_since_epoch());
    const auto seconds_since = floor<seconds>(since_epoch);
    thread_local std::time_t shown = -1;
    thread_local std::string text;
    if (shown != seconds_since.count()) {
        shown = seconds_since.count();
        std::tm parts{};
        gmtime_r(&shown, &parts);
        text =
            fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    }
    out += text;
    append_padded(out, (since_epoch - seconds_since).count(), 3);
    out += 'Z';
}

}  // namespace

std::optional<Level> level_named(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Level>(found - names.begin());
}

std::span<const std::string_view> level_names() { return names; }

Format format_for_stderr() { return ::isatty(STDERR_FILENO) ? Format::text : Format::json; }

void set_up(Format format, Level level) {
    process().format = format;
    process().logger.set_level(spdlog_level(level));
}

void flush() { process().logger.flush(); }

std::uint64_t dropped_lines() { return process().sink->dropped(); }

bool enabled(Level level) {
    return level != Level::off && process().logger.should_log(spdlog_level(level));
}

Line::Line(Level level, std::string_view event)
    : level_(level),
      format_(format_in_use()),
      on_(enabled(level)) {
    if (on_) begin(event, std::chrono::system_clock::now());
}

Line::Line(Level level, std::string_view event, Format format, Time time)
    : level_(level),
      format_(format),
      on_(true) {
    begin(event, time);
}

Line& Line::add(std::string_view name, std::string_view value) {
    if (!on_) return *this;
    begin_field(name);
    append_value(value);
    return *this;
}

Line& Line::add(std::string_view name, const Secret& value) { return add(name, format_as(value)); }

Line& Line::add(std::string_view name, std::span<const std::string> values) {
    if (!on_) return *this;
    begin_field(name);
    if (format_ == Format::json) text_ += '[';
    for (const std::string& value : values) {
        if (&value != values.data()) text_ += ',';
        append_value(value);
    }
    if (format_ == Format::json) text_ += ']';
    return *this;
}

Line& Line::add(std::string_view name, std::chrono::microseconds value) {
    if (!on_) return *this;
    begin_field(name);
    append_padded(text_, value.count() / 1000, 1);
    text_ += '.';
    append_padded(text_, value.count() % 1000, 3);
    return *this;
}

std::string Line::text() const { return format_ == Format::json ? text_ + '}' : text_; }

void Line::write() {
    if (!on_) return;
    text_ += format_ == Format::json ? "}\n" : "\n";
    process().logger.log(spdlog_level(level_), spdlog::string_view_t(text_.data(), text_.size()));
    on_ = false;  // a line is written once
}

Line& Line::add_number(std::string_view name, std::int64_t value) {
    if (!on_) return *this;
    const fmt::format_int digits(value);
    return add_bare(name, {digits.data(), digits.size()});
}

Line& Line::add_bare(std::string_view name, std::string_view value) {
    if (!on_) return *this;
    begin_field(name);
    text_ += value;
    return *this;
}

void Line::begin(std::string_view event, Time time) {
    text_.reserve(512);
    const std::string_view level = names[static_cast<std::size_t>(level_)];
    if (format_ == Format::json) {
        text_ += "{\"time\":\"";
        append_time(text_, time);
        text_ += "\",\"level\":";
        append_quoted(text_, level);
        text_ += ",\"event\":";
        append_quoted(text_, event);
    } else {
        append_time(text_, time);
        fmt::format_to(std::back_inserter(text_), " {:7} ", level);
        append_escaped(text_, event);
    }
}

void Line::begin_field(std::string_view name) {
    if (format_ == Format::json) {
        text_ += ",\"";
        text_ += name;
        text_ += "\":";
    } else {
        text_ += ' ';
        text_ += name;
        text_ += '=';
    }
}

void Line::append_value(std::string_view value) {
    if (format_ == Format::text && is_one_word(value)) {
        text_ += value;
    } else {
        append_quoted(text_, value);
    }
}

}  // namespace runnel::log
