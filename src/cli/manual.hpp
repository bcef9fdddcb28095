#pragma once

#include "cli/command_tree.hpp"

#include <string>
#include <string_view>

namespace runnel::cli {

// The program's manual page, for man(1).
std::string manual(const Command& program, std::string_view version);

}  // namespace runnel::cli
