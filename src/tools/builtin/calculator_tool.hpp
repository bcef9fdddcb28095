#pragma once

#include "tools/arguments.hpp"
#include "tools/source.hpp"

namespace runnel::tools {

ToolSpec calculator_spec();
ToolOutcome run_calculator(const Arguments& arguments);

}  // namespace runnel::tools
