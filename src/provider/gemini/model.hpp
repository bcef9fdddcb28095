#pragma once

#include <string_view>

namespace runnel::provider::gemini {

// What a model's name tells of what it accepts; what it doesn't is answered with 400, so it must
// not be sent.
struct Model {
    int version;  // 25 for Gemini 2.5, 30 for Gemini 3
    enum class Size { pro, flash, flash_lite } size;
    bool gemma;  // an open model: no system instruction
    bool thinks;

    // Calls have ids, and their thought signatures are checked.
    bool signs_calls() const { return version >= 30; }
    // How much it thinks is said by a level, not by a budget.
    bool has_levels() const { return version >= 30; }
    bool takes_penalties() const { return version < 30; }
    // An answer's format can be fixed beside tools.
    bool formats_beside_tools() const { return version >= 30; }
};

// `name` may have its collection before it: "models/gemini-2.5-pro". Names without a version
// ("gemini-flash-latest") stand for the newest.
Model model_named(std::string_view name);

}  // namespace runnel::provider::gemini
