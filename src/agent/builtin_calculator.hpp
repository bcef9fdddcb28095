#pragma once

#include "agent/arguments.hpp"
#include "agent/tool_source.hpp"

namespace runnel::agent {

ToolSpec calculator_spec();
ToolOutcome run_calculator(const Arguments& arguments);

}  // namespace runnel::agent
