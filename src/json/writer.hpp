#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace runnel::json {

// A literal in which nothing needs an escape; the compiler sees to that.
class Literal {
public:
    template <std::size_t size>
    consteval Literal(const char (&text)[size]) : text_(text, size - 1) {
        for (const char c : text_)
            if (c < ' ' || c == '"' || c == '\\') throw "needs an escape";
    }
    std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

// Text that is known only when the program runs.
template <class Text>
concept RuntimeText = std::convertible_to<const Text&, std::string_view> && !std::is_array_v<Text>;

// Appends JSON to a caller's string: no tree, no temporaries. Commas are put where the last byte
// asks for one, so raw JSON may be appended between calls. Misuse (a key in an array) is the
// caller's bug and is not checked.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    Writer& begin_object() { return open('{'); }
    Writer& end_object() { return close('}'); }
    Writer& begin_array() { return open('['); }
    Writer& end_array() { return close(']'); }

    Writer& key(Literal name);
    Writer& string(Literal plain) { return escaped(plain.text()); }
    // These escape what must be.
    Writer& key(const RuntimeText auto& name) { return escape_key(name); }
    Writer& string(const RuntimeText auto& plain) { return escape_string(plain); }
    Writer& escaped(std::string_view body);  // already escaped text, gets its quotes here
    Writer& raw(std::string_view json);      // a whole JSON value
    Writer& number(std::int64_t value);
    Writer& real(double value);
    // `value` with its last `places` digits behind a point, as far as they say anything.
    Writer& decimal(std::int64_t value, int places);
    Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
    Writer& null() { return raw("null"); }

private:
    Writer& escape_key(std::string_view name);
    Writer& escape_string(std::string_view plain);
    Writer& open(char bracket);
    Writer& close(char bracket);
    void separate();

    std::string& out_;
};

}  // namespace runnel::json
