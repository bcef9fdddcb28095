#pragma once

#include <string>
#include <string_view>

namespace runnel::provider {

// Provider text with credentials masked: for logs, which may see addresses but no keys. At most 2
// KiB.
std::string without_credentials(std::string_view text);

}  // namespace runnel::provider
