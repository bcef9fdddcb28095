#pragma once

#include <string>
#include <string_view>

namespace runnel {

// The text with whatever looks like a credential replaced by ***: keys of well-known shapes (sk-…,
// AIza…), what comes after Bearer or Basic, and the values of names such as key, token and
// password. For text from elsewhere that goes into the log; what this program holds itself is a
// Secret.
std::string redacted(std::string_view text);

}  // namespace runnel
