#pragma once

#include <string>
#include <string_view>

namespace runnel::config {

// A config's text for people to look at: what is or may be a secret is ***; names of variables,
// ${NAME}, stay. It is still YAML where it was. Text that is no YAML is masked line by line.
inline constexpr std::string_view secret_mask = "***";
std::string masked_text(std::string_view yaml);

// One value of a config, for messages: without what looks like a credential in it, and without the
// password of a URL.
std::string masked_value(std::string_view text);

}  // namespace runnel::config
