#include "json/quick_writer.hpp"

#include "json/text.hpp"

namespace runnel::json {
namespace {

constexpr std::size_t digits_max = 20;

}  // namespace

void QuickWriter::make_room(std::size_t used, std::size_t bytes) {
    out_.resize(used + used + bytes);
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
}

QuickWriter& QuickWriter::escaped(std::string_view plain) {
    std::string text = "\"";
    append_escaped(text, plain);
    text += '"';
    return raw(text);
}

void QuickWriter::digits(std::uint64_t value) {
    char* to = at_;
    if (value < 10) {
        *to = static_cast<char>('0' + value);
        ++at_;
        return;
    }
    char reversed[digits_max];
    int count = 0;
    for (; value > 0; value /= 10) reversed[count++] = static_cast<char>('0' + value % 10);
    while (count > 0) *to++ = reversed[--count];
    at_ = to;
}

QuickWriter& QuickWriter::number(std::int64_t value) {
    reserve(digits_max + 1);
    digits(without_sign(value));
    return *this;
}

QuickWriter& QuickWriter::decimal(std::int64_t value, int places) {
    if (value == 0) return literal("0");
    reserve(2 * digits_max);
    std::uint64_t rest = without_sign(value);
    for (; places >= 3 && rest % 1000 == 0; places -= 3) rest /= 1000;
    for (; places > 0 && rest % 10 == 0; --places) rest /= 10;
    // The places from the last one on; what is left then stands before the point.
    char fraction[digits_max];
    for (int i = places; i-- > 0; rest /= 10) fraction[i] = static_cast<char>('0' + rest % 10);
    digits(rest);
    if (places == 0) return *this;
    *at_++ = '.';
    return put({fraction, static_cast<std::size_t>(places)});
}

// Writes the sign.
std::uint64_t QuickWriter::without_sign(std::int64_t value) {
    if (value >= 0) return static_cast<std::uint64_t>(value);
    *at_++ = '-';
    return 0 - static_cast<std::uint64_t>(value);
}

}  // namespace runnel::json
