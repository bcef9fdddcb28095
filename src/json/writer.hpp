#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::json {

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

    Writer& key(std::string_view name);      // escapes what must be
    Writer& string(std::string_view plain);  // escapes what must be
    Writer& escaped(std::string_view body);  // already escaped text, gets its quotes here
    Writer& raw(std::string_view json);      // a whole JSON value
    Writer& number(std::int64_t value);
    Writer& real(double value);
    Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
    Writer& null() { return raw("null"); }

private:
    Writer& open(char bracket);
    Writer& close(char bracket);
    void separate();

    std::string& out_;
};

}  // namespace runnel::json
