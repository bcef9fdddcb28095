#pragma once

#include "json/parser.hpp"
#include "tools/source.hpp"

#include <string>

namespace runnel::tools::mcp {

// What the result of a tools/call says, for the model and for clients: all its text, in order; what
// is no text (images, sounds, files) is named in brackets; structured content where there is no
// other. `result_json` is JSON that was read before.
ToolOutcome fold_result(json::Parser* parser, std::string result_json, const ToolLimits& limits);

}  // namespace runnel::tools::mcp
