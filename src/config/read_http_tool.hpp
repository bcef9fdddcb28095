#pragma once

#include "agent/tool_config.hpp"
#include "config/yaml_reader.hpp"

namespace runnel::config {

// `http:` of a tool: {url, method, headers, description, parameters, callback}.
agent::HttpToolConfig read_http_tool(const Value& value);

}  // namespace runnel::config
