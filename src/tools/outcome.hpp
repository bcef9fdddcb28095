#pragma once

#include "base/error.hpp"
#include "tools/limits.hpp"
#include "tools/source.hpp"

#include <string>

// Outcomes, made so that they keep to the limits. Bytes that are not UTF-8 become U+FFFD.
namespace runnel::tools {

ToolOutcome completed_with_text(std::string text, const ToolLimits& limits);

// `json` is a whole value; where it is too long, its beginning is told as text.
ToolOutcome completed_with_json(std::string json, const ToolLimits& limits);

ToolOutcome failed_with(std::string text);

// What a network tool says when its request ended without an answer. `stop` was its own.
ToolOutcome failed_because(const Error& error, const http::Stop& stop, const ToolLimits& limits);

}  // namespace runnel::tools
