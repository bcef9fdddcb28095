#include "base/utc_time.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace runnel {
namespace {

using namespace std::chrono;
using UtcTime = sys_time<milliseconds>;

// Takes pieces off the front of a text; once one does not fit, none does.
class Pieces {
public:
    explicit Pieces(std::string_view text) : rest_(text) {}

    // A number of exactly so many digits.
    int digits(std::size_t count) {
        int value = 0;
        const char* const end = rest_.data() + std::min(count, rest_.size());
        const bool all = count <= rest_.size() && ascii::is_digit(rest_.front()) &&
                         std::from_chars(rest_.data(), end, value).ptr == end;
        take(count, all);
        return value;
    }
    // One of these characters, in either case.
    char one_of(std::string_view characters) {
        const char c = rest_.empty() ? '\0' : rest_.front();
        take(1, c != '\0' && characters.contains(c));
        return c;
    }
    bool next_is(char c) const { return rest_.starts_with(c); }
    bool whole() const { return fits_ && rest_.empty(); }

    // Digits behind a dot, as milliseconds; what is finer is left out.
    milliseconds fraction() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        int value = 0, scale = 100;
        for (std::size_t i = 0; i < std::min<std::size_t>(count, 3); ++i, scale /= 10)
            value += (rest_[i] - '0') * scale;
        take(count, count > 0);
        return milliseconds(value);
    }

private:
    void take(std::size_t count, bool fits) {
        fits_ = fits_ && fits;
        rest_.remove_prefix(fits_ ? count : rest_.size());
    }

    std::string_view rest_;
    bool fits_ = true;
};

// Where a time's own zone is east of UTC; 'Z' is nowhere.
minutes read_offset(Pieces& pieces) {
    const char sign = pieces.one_of("Zz+-");
    if (sign == 'Z' || sign == 'z') return minutes(0);
    const int hour = pieces.digits(2);
    pieces.one_of(":");
    const int minute = pieces.digits(2);
    const minutes offset = hours(hour) + minutes(minute);
    return sign == '-' ? -offset : offset;
}

}  // namespace

std::optional<UtcTime> read_utc_time(std::string_view text) {
    Pieces pieces(text);
    const int y = pieces.digits(4);
    pieces.one_of("-");
    const int m = pieces.digits(2);
    pieces.one_of("-");
    const int d = pieces.digits(2);
    pieces.one_of("Tt ");
    const int hour = pieces.digits(2);
    pieces.one_of(":");
    const int minute = pieces.digits(2);
    pieces.one_of(":");
    const int second = pieces.digits(2);
    milliseconds fraction{0};
    if (pieces.next_is('.')) {
        pieces.one_of(".");
        fraction = pieces.fraction();
    }
    const minutes offset = read_offset(pieces);
    const year_month_day date{year(y), month(static_cast<unsigned>(m)),
                              day(static_cast<unsigned>(d))};
    const bool in_range =
        date.ok() && hour < 24 && minute < 60 && second <= 60 && abs(offset) < hours(24);
    if (!pieces.whole() || !in_range) return std::nullopt;
    const UtcTime time =
        sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + fraction - offset;
    if (time < UtcTime{}) return std::nullopt;
    return time;
}

// Digit by digit: a request's record has one.
std::string write_utc_time(UtcTime time) {
    const auto midnight = floor<days>(time);
    const year_month_day date(midnight);
    const auto ms = static_cast<unsigned>((time - midnight).count());
    std::string text = "0000-00-00T00:00:00.000Z";
    const auto put = [&](std::size_t at, unsigned value, std::size_t width) {
        for (; width-- > 0; value /= 10) text[at + width] = static_cast<char>('0' + value % 10);
    };
    put(0, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    put(5, static_cast<unsigned>(date.month()), 2);
    put(8, static_cast<unsigned>(date.day()), 2);
    put(11, ms / 3'600'000, 2);
    put(14, ms / 60'000 % 60, 2);
    put(17, ms / 1000 % 60, 2);
    put(20, ms % 1000, 3);
    if (ms % 1000 == 0) text.replace(19, 4, "");
    return text;
}

}  // namespace runnel
