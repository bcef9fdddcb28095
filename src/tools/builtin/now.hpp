#pragma once

#include "tools/arguments.hpp"
#include "tools/source.hpp"

#include <chrono>

namespace runnel::tools {

using UtcTime = std::chrono::sys_seconds;

ToolSpec now_spec();
ToolOutcome run_now(const Arguments& arguments, UtcTime now);

}  // namespace runnel::tools
