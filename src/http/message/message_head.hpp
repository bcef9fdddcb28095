#pragma once

#include "http/message/headers.hpp"

#include <cstdint>
#include <expected>
#include <string_view>

namespace runnel::http {

// A header field as it stands in its line, checked: a name of letters, digits and the like, then at
// once the colon; a value without control characters. The error says what is wrong. Views into
// `line`.
std::expected<HeaderList::Field, std::string_view> read_field(std::string_view line);

// How long the body of a message is.
struct Framing {
    enum class Kind { no_body, length, chunked, until_close } kind = Kind::no_body;
    std::uint64_t length = 0;
};

// What the header fields of a message say about the message itself, gathered as they come.
struct MessageFacts {
    void note(HeaderList::Field field);

    unsigned hosts = 0;
    bool host_is_valid = true;
    unsigned authorizations = 0;
    unsigned lengths = 0;
    bool length_is_valid = true;  // a number, and the same each time
    std::uint64_t length = 0;
    unsigned transfer_codings = 0;
    bool is_chunked = false;  // that is the one coding
    bool says_close = false;
    bool says_keep_alive = false;
    bool expects_continue = false;
};

}  // namespace runnel::http
