#pragma once

#include "config/yaml_reader.hpp"
#include "tools/config.hpp"

namespace runnel::config {

// `http:` of a tool: {url, method, headers, description, parameters, callback}.
tools::HttpToolConfig read_http_tool(const Value& value);

}  // namespace runnel::config
