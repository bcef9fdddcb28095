#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic/draft.hpp"

#include <span>
#include <string>
#include <string_view>

namespace runnel::provider::anthropic {

// Claude as others sell it: the model and whether it streams stand in the path there, and what
// Anthropic's own API has headers for in the body.
struct Reseller {
    std::string_view version;              // their name for the API's
    std::span<const std::string> betas{};  // that the config asks for
};

// The body of POST /v1/messages. What the API has no word for is dropped with a warning where the
// answer stays the same kind of answer, and refused where it would not.
Result<Draft> write_body(const chat::Request& request, std::string_view model,
                         const Reseller* reseller = nullptr);

}  // namespace runnel::provider::anthropic
