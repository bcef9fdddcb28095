#pragma once

#include "cli/command_tree.hpp"

#include <string>

namespace runnel::cli {

// Scripts that let a shell complete runnel's commands, options and, where they are known, values.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

}  // namespace runnel::cli
