#pragma once

#include "base/result.hpp"
#include "chat/request.hpp"
#include "provider/anthropic_draft.hpp"

#include <string>
#include <string_view>

namespace runnel::provider::anthropic {

// Writes an image or a file as a content block, with its cache mark. `param` names the part in
// errors.
Result<void> write_media(Draft& draft, const chat::Part& part, std::string_view mark_raw,
                         const std::string& param);

}  // namespace runnel::provider::anthropic
