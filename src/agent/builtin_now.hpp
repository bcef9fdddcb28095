#pragma once

#include "agent/arguments.hpp"
#include "agent/time_zone.hpp"
#include "agent/tool_source.hpp"

namespace runnel::agent {

ToolSpec now_spec();
ToolOutcome run_now(const Arguments& arguments, UtcTime now);

}  // namespace runnel::agent
