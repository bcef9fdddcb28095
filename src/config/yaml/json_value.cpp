#include "config/yaml/json_value.hpp"

#include "base/ascii.hpp"
#include "config/units.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace runnel::config {
namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
    std::size_t count = 0;
    while (at + count < text.size() && ascii::is_digit(text[at + count])) ++count;
    return count;
}

enum class NumberStyle { none, json, yaml_only };

// YAML also writes +1, .5, 1. and 007, which JSON does not.
NumberStyle number_style(std::string_view text) {
    NumberStyle style = NumberStyle::json;
    std::size_t at = 0;
    if (text.starts_with('-') || text.starts_with('+')) {
        if (text.front() == '+') style = NumberStyle::yaml_only;
        at = 1;
    }
    const std::size_t whole = digits_at(text, at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) style = NumberStyle::yaml_only;
    at += whole;
    std::size_t fraction = 0;
    if (at < text.size() && text[at] == '.') {
        fraction = digits_at(text, at + 1);
        if (fraction == 0) style = NumberStyle::yaml_only;
        at += 1 + fraction;
    }
    if (whole + fraction == 0) return NumberStyle::none;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        const std::size_t exponent = digits_at(text, at);
        if (exponent == 0) return NumberStyle::none;
        at += exponent;
    }
    return at == text.size() ? style : NumberStyle::none;
}

bool equals_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

// False when no double holds the number.
bool write_number(std::string_view text, NumberStyle style, json::Writer& out) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto [rest, error] = std::from_chars(text.data(), end, whole);
        error == std::errc() && rest == end) {
        out.number(whole);
        return true;
    }
    double real = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, real);
    if (error != std::errc() || rest != end || !std::isfinite(real)) return false;
    if (style == NumberStyle::json) {
        out.raw(text);
    } else {
        out.real(real);
    }
    return true;
}

void write_scalar(const Value& value, json::Writer& out) {
    const auto text = value.text();
    if (!text) return;
    if (value.node().style == Node::Style::quoted) {
        out.string(*text);
        return;
    }
    if (const auto truth = read_boolean(*text)) {
        out.boolean(*truth);
        return;
    }
    const NumberStyle style = number_style(*text);
    if (style == NumberStyle::none && !equals_any(*text, {".inf", "-.inf", "+.inf", ".nan"})) {
        out.string(*text);
    } else if (!write_number(*text, style, out)) {
        value.refuse("a number that JSON can write");
    }
}

void write(const Value& value, json::Writer& out) {
    switch (value.node().kind) {
        case Node::Kind::null: out.null(); break;
        case Node::Kind::scalar: write_scalar(value, out); break;
        case Node::Kind::list:
            out.begin_array();
            for (const Value& item : value.list()) write(item, out);
            out.end_array();
            break;
        case Node::Kind::map:
            out.begin_object();
            for (const Entry& entry : value.entries()) {
                out.key(entry.key);
                write(entry.value, out);
            }
            out.end_object();
            break;
    }
}

}  // namespace

std::string json_of(const Value& value) {
    std::string json;
    json::Writer writer(json);
    write(value, writer);
    return json;
}

}  // namespace runnel::config
