#include "agent/time_zone.hpp"
#include "base/ascii.hpp"

#include <charconv>

namespace runnel::agent {
namespace {

using namespace std::chrono;

// A day of each year, and a time on it by the clocks of that moment.
struct Change {
    enum class Day { month_week_day, julian, zero_based } kind = Day::julian;
    unsigned month = 1, week = 1, weekday = 0;
    int day = 1;
    seconds at = 2h;
};

// POSIX's TZ, with the extension of RFC 8536 that hours may be negative or past 24.
class RuleReader {
public:
    explicit RuleReader(std::string_view text) : text_(text) {}

    bool done() const { return text_.empty(); }
    bool take(char c) {
        if (!text_.starts_with(c)) return false;
        text_.remove_prefix(1);
        return true;
    }

    std::optional<std::string> name() {
        const bool quoted = take('<');
        std::size_t length = 0;
        while (length < text_.size() &&
               (quoted ? text_[length] != '>' : ascii::is_letter(text_[length])))
            ++length;
        std::string name(text_.substr(0, length));
        text_.remove_prefix(length);
        if (name.empty() || (quoted && !take('>'))) return std::nullopt;
        return name;
    }

    std::optional<seconds> time() {
        const bool negative = take('-');
        if (!negative) take('+');
        const auto hour = number();
        if (!hour || *hour > 167) return std::nullopt;
        seconds total = hours(*hour);
        if (take(':')) total += minutes(number().value_or(0));
        if (take(':')) total += seconds(number().value_or(0));
        return negative ? -total : total;
    }

    std::optional<Change> change() {
        Change change;
        if (take('M')) {
            change.kind = Change::Day::month_week_day;
            const auto month = number();
            const auto week = take('.') ? number() : std::nullopt;
            const auto weekday = take('.') ? number() : std::nullopt;
            if (!month || !week || !weekday || *month < 1 || *month > 12 || *week < 1 ||
                *week > 5 || *weekday > 6)
                return std::nullopt;
            change.month = static_cast<unsigned>(*month);
            change.week = static_cast<unsigned>(*week);
            change.weekday = static_cast<unsigned>(*weekday);
        } else {
            change.kind = take('J') ? Change::Day::julian : Change::Day::zero_based;
            const auto day = number();
            if (!day || *day > 365) return std::nullopt;
            change.day = *day;
        }
        if (take('/')) {
            const auto at = time();
            if (!at) return std::nullopt;
            change.at = *at;
        }
        return change;
    }

private:
    std::optional<int> number() {
        int value = 0;
        const char* const begin = text_.data();
        const auto [end, error] = std::from_chars(begin, begin + text_.size(), value);
        if (error != std::errc() || value < 0) return std::nullopt;
        text_.remove_prefix(static_cast<std::size_t>(end - begin));
        return value;
    }

    std::string_view text_;
};

sys_days day_of(const Change& change, year in) {
    switch (change.kind) {
        case Change::Day::month_week_day:
            if (change.week == 5) return in / month(change.month) / weekday(change.weekday)[last];
            return in / month(change.month) / weekday(change.weekday)[change.week];
        case Change::Day::julian: {
            // The 29th of February is never counted.
            const int leap_day = in.is_leap() && change.day >= 60 ? 1 : 0;
            return sys_days(in / January / 1) + days(change.day - 1 + leap_day);
        }
        case Change::Day::zero_based: break;
    }
    return sys_days(in / January / 1) + days(change.day);
}

}  // namespace

std::optional<ZoneOffset> offset_by_rule(std::string_view rule, UtcTime time) {
    RuleReader reader(rule);
    auto standard_name = reader.name();
    const auto standard_west = reader.time();
    if (!standard_name || !standard_west) return std::nullopt;
    ZoneOffset standard{-*standard_west, std::move(*standard_name)};
    if (reader.done()) return standard;

    auto summer_name = reader.name();
    if (!summer_name) return std::nullopt;
    ZoneOffset summer{standard.east_of_utc + 1h, std::move(*summer_name)};
    if (!reader.take(',')) {
        const auto west = reader.time();
        if (!west || !reader.take(',')) return std::nullopt;
        summer.east_of_utc = -*west;
    }
    const auto begin = reader.change();
    const auto end = reader.take(',') ? reader.change() : std::nullopt;
    if (!begin || !end || !reader.done()) return std::nullopt;

    const year in = year_month_day(floor<days>(time + standard.east_of_utc)).year();
    const UtcTime begins = day_of(*begin, in) + begin->at - standard.east_of_utc;
    const UtcTime ends = day_of(*end, in) + end->at - summer.east_of_utc;
    const bool is_summer = begins < ends ? time >= begins && time < ends
                                         : time >= begins || time < ends;  // south of the equator
    return is_summer ? summer : standard;
}

}  // namespace runnel::agent
