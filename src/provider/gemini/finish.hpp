#pragma once

#include <string_view>

namespace runnel::provider::gemini {

// What one of Gemini's finish reasons means.
struct FinishReason {
    enum class Kind {
        stop,
        length,
        filtered,
        other,   // nobody knows why; without any text it was the filter
        failed,  // the model wrote something that is no answer
    };
    std::string_view name;
    Kind kind;
};

// `raw` is the JSON value: a string, or the enum's number where the caller asked for numbers
// ($alt=json;enum-encoding=int). The numbers are those of generativelanguage.googleapis.com;
// Vertex' are the same up to 5. Unknown ones are `stop`.
FinishReason finish_reason(std::string_view raw);

}  // namespace runnel::provider::gemini
