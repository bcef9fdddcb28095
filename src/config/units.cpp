#include "config/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <span>

namespace runnel::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr Unit durations[] = {{"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 60 * 60 * 1000}};

constexpr std::int64_t kilo = 1000;
constexpr std::int64_t kibi = 1024;
constexpr Unit sizes[] = {
    {"", 1},
    {"B", 1},
    {"KiB", kibi},
    {"MiB", kibi* kibi},
    {"GiB", kibi* kibi* kibi},
    {"kB", kilo},
    {"KB", kilo},
    {"MB", kilo* kilo},
    {"GB", kilo* kilo* kilo},
};

// A whole number that is not negative, and one of the units right behind it.
std::optional<std::int64_t> read(std::string_view text, std::span<const Unit> units) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name(rest, static_cast<std::size_t>(end - rest));
    for (const Unit& unit : units) {
        if (unit.name != name) continue;
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        if (number > static_cast<std::uint64_t>(most / unit.factor)) return std::nullopt;
        return static_cast<std::int64_t>(number) * unit.factor;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> read_duration(std::string_view text) {
    const auto count = read(text, durations);
    if (!count) return std::nullopt;
    return std::chrono::milliseconds(*count);
}

std::string write_duration(std::chrono::milliseconds duration) {
    const Unit* largest = durations;
    for (const Unit& unit : durations)
        if (duration.count() % unit.factor == 0 &&
            duration >= std::chrono::milliseconds(unit.factor))
            largest = &unit;
    return fmt::format("{}{}", duration.count() / largest->factor, largest->name);
}

std::optional<bool> read_boolean(std::string_view text) {
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
    return std::nullopt;
}

std::optional<std::size_t> read_size(std::string_view text) {
    const auto bytes = read(text, sizes);
    if (!bytes) return std::nullopt;
    return static_cast<std::size_t>(*bytes);
}

}  // namespace runnel::config
