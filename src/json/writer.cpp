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

}  // namespace runnel::json
