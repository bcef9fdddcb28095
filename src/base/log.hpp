#pragma once

#include "base/secret.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// One line per thing worth telling, on stderr, never two halves of lines mixed.
namespace runnel::log {

enum class Level { debug, info, warning, error, off };
enum class Format { json, text };

std::optional<Level> level_named(std::string_view name);
std::span<const std::string_view> level_names();

// Text for a person at a terminal, JSON for whatever else reads stderr.
Format format_for_stderr();

// For the whole process, at any time. Until then: info and above, in the format that fits stderr.
void set_up(Format format, Level level);
bool enabled(Level level);
// Waits until every line so far is written.
void flush();
// Lines that were dropped because nobody read those before them.
std::uint64_t dropped_lines();

// A line in the making: Line(Level::info, "request").add("status", 200).add("model", name).write();
// Where its level is off it costs a comparison. Values may be any bytes: what is not UTF-8 is shown
// as U+FFFD.
class Line {
public:
    using Time = std::chrono::system_clock::time_point;

    Line(Level level, std::string_view event);
    // In this format whatever is set up; for text() rather than write().
    Line(Level level, std::string_view event, Format format, Time time);

    // `name` is the program's own: a word, with nothing in it to escape.
    Line& add(std::string_view name, std::string_view value);
    Line& add(std::string_view name, const Secret& value);
    Line& add(std::string_view name, std::span<const std::string> values);
    Line& add(std::string_view name, std::same_as<bool> auto value) {
        return add_bare(name, value ? "true" : "false");
    }
    Line& add(std::string_view name, std::integral auto value)
        requires(!std::same_as<decltype(value), bool>)
    {
        return add_number(name, static_cast<std::int64_t>(value));
    }
    // In milliseconds, with three decimals: name it so, e.g. "total_ms".
    Line& add(std::string_view name, std::chrono::microseconds value);

    void write();
    // The whole line, without its line break.
    std::string text() const;

private:
    Line& add_number(std::string_view name, std::int64_t value);
    Line& add_bare(std::string_view name, std::string_view value);
    void begin(std::string_view event, Time time);
    void begin_field(std::string_view name);
    void append_value(std::string_view value);

    Level level_;
    Format format_;
    bool on_;
    std::string text_;
};

}  // namespace runnel::log
