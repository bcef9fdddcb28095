#include "provider/core/retry_delay.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace runnel::provider {
namespace {

using std::chrono::milliseconds;
using Instant = std::chrono::sys_seconds;

// Longer waits are somebody's mistake (or a time of day read as seconds).
constexpr double wait_seconds_max = 30.0 * 24 * 3600;

std::string_view value_of(const std::vector<Header>& headers, std::string_view name) {
    const auto found = std::ranges::find(headers, name, &Header::name);
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

// A plain number from the start of `text`, which is shortened by it.
std::optional<double> take_number(std::string_view& text) {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<double> whole_number(std::string_view text) {
    const auto value = take_number(text);
    return text.empty() ? value : std::nullopt;
}

std::optional<milliseconds> positive(double seconds) {
    if (!(seconds > 0) || seconds > wait_seconds_max) return std::nullopt;
    return milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds * 1000)));
}

int digits_at(std::string_view text, std::size_t at, std::size_t count) {
    int value = -1;
    if (at + count <= text.size())
        std::from_chars(text.data() + at, text.data() + at + count, value);
    return value;
}

std::optional<Instant> instant(int year, int month, int day, int hour, int minute, int second) {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{year},
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok() || hour < 0 || minute < 0 || second < 0) return std::nullopt;
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
}

}  // namespace

std::optional<Instant> read_http_date(std::string_view text) {
    constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() < 29 || text[3] != ',') return std::nullopt;
    const auto month = std::ranges::find(months, text.substr(8, 3));
    if (month == months.end()) return std::nullopt;
    return instant(digits_at(text, 12, 4), static_cast<int>(month - months.begin()) + 1,
                   digits_at(text, 5, 2), digits_at(text, 17, 2), digits_at(text, 20, 2),
                   digits_at(text, 23, 2));
}

namespace {

// "2026-10-21T07:28:00Z"; fractions and other zones are not used by those who send it.
std::optional<Instant> read_rfc3339(std::string_view text) {
    if (text.size() < 20 || text[4] != '-' || text[10] != 'T') return std::nullopt;
    return instant(digits_at(text, 0, 4), digits_at(text, 5, 2), digits_at(text, 8, 2),
                   digits_at(text, 11, 2), digits_at(text, 14, 2), digits_at(text, 17, 2));
}

std::optional<milliseconds> until(std::optional<Instant> when, std::optional<Instant> now) {
    if (!when || !now) return std::nullopt;
    return positive(static_cast<double>((*when - *now).count()));
}

// A bucket's reset: a duration, seconds, a time of day, or seconds or milliseconds since 1970.
std::optional<milliseconds> read_reset(std::string_view text, std::optional<Instant> now) {
    if (const auto number = whole_number(text)) {
        const double seconds = *number > 1e11 ? *number / 1000 : *number;
        if (seconds < 1e9) return positive(seconds);
        if (!now) return std::nullopt;
        return positive(seconds - static_cast<double>(now->time_since_epoch().count()));
    }
    if (const auto duration = read_duration(text)) return duration;
    return until(read_rfc3339(text), now);
}

std::optional<milliseconds> empty_bucket_reset(const std::vector<Header>& headers,
                                               std::optional<Instant> now) {
    constexpr std::string_view remaining = "remaining";
    std::optional<milliseconds> longest;
    for (const Header& header : headers) {
        const std::size_t at = header.name.find(remaining);
        if (at == std::string::npos || header.name.find("ratelimit") == std::string::npos) continue;
        if (whole_number(header.value).value_or(1) > 0) continue;
        std::string reset = header.name;
        reset.replace(at, remaining.size(), "reset");
        if (const auto wait = read_reset(value_of(headers, reset), now))
            longest = std::max(longest.value_or(*wait), *wait);
    }
    return longest;
}

}  // namespace

std::optional<milliseconds> read_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    double seconds = 0;
    while (!text.empty()) {
        const auto number = take_number(text);
        if (!number) return std::nullopt;
        const std::size_t unit_end = std::min(text.find_first_of("0123456789."), text.size());
        const std::string_view unit = text.substr(0, unit_end);
        text.remove_prefix(unit_end);
        if (unit == "ms") {
            seconds += *number / 1000;
        } else if (unit == "s") {
            seconds += *number;
        } else if (unit == "m") {
            seconds += *number * 60;
        } else if (unit == "h") {
            seconds += *number * 3600;
        } else if (unit != "us" && unit != "ns") {
            return std::nullopt;
        }
    }
    return positive(seconds);
}

std::optional<milliseconds> retry_delay(const std::vector<Header>& headers,
                                        std::optional<milliseconds> told_in_body) {
    const auto now = read_http_date(value_of(headers, "date"));
    const std::string_view after = value_of(headers, "retry-after");
    const auto in_ms =
        positive(whole_number(value_of(headers, "retry-after-ms")).value_or(0) / 1000);
    auto in_seconds = positive(whole_number(after).value_or(0));
    if (!in_seconds) in_seconds = until(read_http_date(after), now);
    // Azure sends "1" second beside "0" milliseconds: a zero is no answer.
    if (in_ms) return in_ms;
    if (in_seconds) return in_seconds;
    if (told_in_body) return told_in_body;
    return empty_bucket_reset(headers, now);
}

}  // namespace runnel::provider
