#pragma once

#include <string>
#include <string_view>

namespace runnel::provider::anthropic {

// The provider's own id for a call: as it was given out, or a legal stand-in that is always the
// same for the same id.
std::string native_call_id(std::string_view id);

// Tool names and ids have the same alphabet; what is outside of it becomes an underscore.
std::string legal_name(std::string_view name);

}  // namespace runnel::provider::anthropic
