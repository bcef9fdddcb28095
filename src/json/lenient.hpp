#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::json {

// How much is forgiven in JSON that a model wrote, each level with all before it. What is repaired
// has one meaning only: nothing is guessed.
enum class Forgive {
    nothing,
    slips,  // commas before a closing bracket, control characters and unknown escapes in strings,
            // True, False and None
    end,    // what is still open at the end is closed; a member that has no value yet is left out
};

// Reads the JSON value that `text` (UTF-8) begins with, white space aside, and appends it to `out`
// on one line. Says where in `text` it ends; nothing when there is none, and then `out` is as it
// was. Nested no deeper than limits::json_depth.
std::optional<std::size_t> read_value(std::string_view text, Forgive forgive, std::string& out);

}  // namespace runnel::json
