#pragma once

#include <string>

namespace runnel {

// One field of a message's header. What may stand in one is checked where it is written.
struct HeaderField {
    std::string name;
    std::string value;
    friend bool operator==(const HeaderField&, const HeaderField&) = default;
};

}  // namespace runnel
