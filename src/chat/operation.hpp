#pragma once

#include "chat/request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace runnel::chat {

// What a request is to those who need not know what it says: whoever routes it, admits it, and
// counts what it may use up.
struct Operation {
    enum class Kind { chat, embedding };
    // What it takes a model to be able to do.
    struct Needs {
        bool tools = false;  // the client's, or those of the gateway's that it asks for
        bool vision = false;
    };

    Kind kind = Kind::chat;
    std::string model{};
    std::vector<std::string> fallback{};  // models to ask after the model's own targets
    bool strict_model = false;            // rather refuse than let another model stand in
    Streaming streaming = Streaming::no;
    Needs needs{};
    std::int64_t choices = 1;
    std::int64_t input_tokens = 0;             // estimated
    std::optional<std::int64_t> max_tokens{};  // of each choice, as far as the client says it
    std::int64_t thinking_tokens = 0;          // of each choice; they may come on top of that

    bool streams() const { return streaming == Streaming::yes; }
    // What nobody writes an answer to: it has input tokens alone.
    bool writes_nothing() const { return kind != Kind::chat; }
};

}  // namespace runnel::chat
