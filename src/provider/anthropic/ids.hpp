#pragma once

#include "provider/core/tool_names.hpp"

#include <string>
#include <string_view>

namespace runnel::provider::anthropic {

// The provider's own id for a call: as it was given out, or a legal stand-in that is always the
// same for the same id.
std::string native_call_id(std::string_view id);

inline constexpr ToolNameRule tool_name_rule{.bytes_max = 128};

}  // namespace runnel::provider::anthropic
