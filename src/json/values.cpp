#include "json/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace runnel::json {
namespace {

// Without fraction and exponent, so that its digits tell all of it.
bool is_plain_integer(std::string_view raw) {
    return raw.find_first_of(".eE") == std::string_view::npos;
}

bool equal_scalars(const Node& a, const Node& b) {
    const Type type = type_of(a);
    if (type != type_of(b)) return false;
    if (type == Type::string) return a.text() == b.text();
    if (type != Type::number || a.raw == b.raw) return a.raw == b.raw;
    // As numbers, large integers that differ may look the same.
    const bool by_digits = is_plain_integer(a.raw) && is_plain_integer(b.raw);
    return number_of(a) == number_of(b) && (!by_digits || number_of(a) == 0);
}

}  // namespace

Type type_of(const Node& value) {
    if (value.is_object()) return Type::object;
    if (value.is_array()) return Type::array;
    switch (value.raw.empty() ? 'n' : value.raw.front()) {
        case '"': return Type::string;
        case 't':
        case 'f': return Type::boolean;
        case 'n': return Type::null;
        default: return Type::number;
    }
}

std::string_view with_article(Type type) {
    switch (type) {
        case Type::null: return "null";
        case Type::boolean: return "a boolean";
        case Type::number: return "a number";
        case Type::string: return "a string";
        case Type::array: return "an array";
        case Type::object: return "an object";
    }
    return "null";
}

double number_of(const Node& value) {
    double number = 0;
    if (type_of(value) == Type::number)
        std::from_chars(value.raw.data(), value.raw.data() + value.raw.size(), number);
    return number;
}

bool is_integer(const Node& value) {
    if (type_of(value) != Type::number) return false;
    const double number = number_of(value);
    return is_plain_integer(value.raw) || number == std::trunc(number);
}

std::size_t length_of(std::string_view utf8) {
    return static_cast<std::size_t>(std::ranges::count_if(
        utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool equal(const Node& a, const Node& b, std::size_t& compared, std::size_t most) {
    if (++compared > most || a.kind != b.kind) return false;
    if (a.kind == Node::Kind::scalar) return equal_scalars(a, b);
    if (a.is_array())
        return std::ranges::equal(a.elements, b.elements, [&](const Node& x, const Node& y) {
            return equal(x, y, compared, most);
        });
    if (a.members.size() != b.members.size()) return false;
    return std::ranges::all_of(a.members, [&](const Node::Member& member) {
        compared += b.members.size();
        if (compared > most) return false;
        const Node* other = b.find(member.first);
        return other != nullptr && equal(member.second, *other, compared, most);
    });
}

}  // namespace runnel::json
