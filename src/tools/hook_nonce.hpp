#pragma once

#include "base/secret.hpp"

#include <string>

namespace runnel::tools {

// What goes out with a request so that its receiver, who knows the key too, can tell who asks: a
// bcrypt hash ($2b$) of the key with a salt of its own. Empty for an empty key. It takes a
// millisecond or two on purpose.
std::string hook_nonce(const Secret& key);

}  // namespace runnel::tools
