#pragma once

#include "access/key.hpp"

#include <memory>
#include <string>

namespace runnel::access {

// Whoever asks, as far as it is known.
struct Caller {
    enum class Kind {
        anybody,  // nobody had to say who they are
        wallet,   // an address was named; nothing proves that it is theirs
        key,
        admin,  // sees what every key did
    };
    Kind kind = Kind::anybody;
    std::shared_ptr<const Key> key{};  // null: there is none
    std::string address{};             // IP
    std::string wallet{};              // in small letters; empty: none

    // What they use can be read by everybody.
    bool is_browser() const { return key != nullptr && key->kind == Key::Kind::browser; }
};

}  // namespace runnel::access
