#pragma once

#include <string>
#include <string_view>

namespace runnel::api {

// Signatures and encrypted reasoning as clients carry them: with the name of whoever made them, so
// that they find their way back to it and to nobody else.
struct Issued {
    std::string issuer{};           // plain; empty: the client's data does not say
    std::string_view data_escaped;  // a view into what was read
};

// Appends it in the form that clients carry, escaped.
void append_issued(std::string& out, std::string_view issuer, std::string_view data_escaped);

// What clients bring back. Data without an issuer's name is of those who need none, or nothing.
Issued read_issued(std::string_view carried_escaped);

}  // namespace runnel::api
