#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runnel::json {

// How a model came to the end of its text: on its own, or in the middle of it. What was cut off is
// not closed as if it were whole.
enum class TextEnd { own, cut_off };

// The JSON values that a model's text (UTF-8) may be meant as, each on one line, the likeliest
// first: the text itself, or else what is in its code fences, or else objects and arrays in its
// prose; small slips repaired. Empty when there is none.
std::vector<std::string> find_json(std::string_view text, TextEnd end);

}  // namespace runnel::json
