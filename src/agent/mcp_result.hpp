#pragma once

#include "agent/tool_source.hpp"
#include "json/parser.hpp"

#include <cstddef>
#include <string>

namespace runnel::agent::mcp {

// What the result of a tools/call says, for the model and for clients: all its text, in order; what
// is no text (images, sounds, files) is named in brackets; structured content where there is no
// other. Longer text than `bytes_max` is cut, and says so. `result_json` is JSON that was read
// before.
ToolOutcome fold_result(json::Parser* parser, std::string result_json, std::size_t bytes_max);

// A failure, in words for the model.
ToolOutcome failed(std::string text);

}  // namespace runnel::agent::mcp
