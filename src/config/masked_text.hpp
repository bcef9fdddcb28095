#pragma once

#include <string>
#include <string_view>

namespace runnel::config {

// A config's text for people to look at: what is or may be a secret is ***; names of variables,
// ${NAME}, stay. It is still YAML where it was. Text that is no YAML is masked line by line.
std::string masked_text(std::string_view yaml);

}  // namespace runnel::config
