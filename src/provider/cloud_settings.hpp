#pragma once

#include <string>

namespace runnel::provider {

// Where in a cloud a provider's models are, and how they are asked there. What is empty is not
// said.
struct CloudSettings {
    std::string region{};    // of AWS
    std::string project{};   // of Google
    std::string location{};  // of Google
    std::string api{};       // of several that a model has
    // AWS' own, that is applied to what is asked and answered.
    std::string guardrail{};
    std::string guardrail_version{};
};

}  // namespace runnel::provider
