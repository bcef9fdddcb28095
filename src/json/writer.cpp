#include "json/writer.hpp"

#include "json/text.hpp"

#include <charconv>

namespace runnel::json {

void Writer::separate() {
    if (out_.empty()) return;
    switch (out_.back()) {
        case '{':
        case '[':
        case ':':
        case ' ':   // after "data: "
        case '\n':  // after a finished line
            return;
        default: out_ += ',';
    }
}

Writer& Writer::open(char bracket) {
    separate();
    out_ += bracket;
    return *this;
}

Writer& Writer::close(char bracket) {
    out_ += bracket;
    return *this;
}

Writer& Writer::key(Literal name) {
    separate();
    out_ += '"';
    out_ += name.text();
    out_ += "\":";
    return *this;
}

Writer& Writer::escape_key(std::string_view name) {
    escape_string(name);
    out_ += ':';
    return *this;
}

Writer& Writer::escape_string(std::string_view plain) {
    separate();
    out_ += '"';
    append_escaped(out_, plain);
    out_ += '"';
    return *this;
}

Writer& Writer::escaped(std::string_view body) {
    separate();
    out_ += '"';
    out_ += body;
    out_ += '"';
    return *this;
}

Writer& Writer::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

Writer& Writer::number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return raw({digits, static_cast<std::size_t>(end - digits)});
}

Writer& Writer::real(double value) {
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return raw({digits, static_cast<std::size_t>(end - digits)});
}

Writer& Writer::decimal(std::int64_t value, int places) {
    if (value == 0) return number(0);
    std::uint64_t rest =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    for (; places >= 3 && rest % 1000 == 0; places -= 3) rest /= 1000;
    for (; places > 0 && rest % 10 == 0; --places) rest /= 10;
    // From the last digit on.
    char digits[40];
    char* const end = digits + sizeof digits;
    char* begin = end;
    for (int i = 0; i < places; ++i, rest /= 10) *--begin = static_cast<char>('0' + rest % 10);
    if (places > 0) *--begin = '.';
    do {
        *--begin = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) *--begin = '-';
    return raw({begin, end});
}

}  // namespace runnel::json
