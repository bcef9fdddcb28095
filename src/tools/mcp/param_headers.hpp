#pragma once

#include "base/result.hpp"
#include "json/parser.hpp"
#include "tools/mcp/message.hpp"

#include <string>
#include <string_view>
#include <vector>

// Since 2026-07-28 a tool's schema may mark parameters (`x-mcp-header`) whose values HTTP repeats
// in its header, so that what stands between can route by them. Clients must.
namespace runnel::tools::mcp {

struct ParamHeader {
    std::vector<std::string> path;  // of properties, from the root of the arguments
    std::string name;               // of the header field, whole
    friend bool operator==(const ParamHeader&, const ParamHeader&) = default;
};

// The marks of a schema; an error where one of them is not as the specification wants it: such a
// tool must not be used.
Result<std::vector<ParamHeader>> find_param_headers(json::Parser* parser, std::string schema_json);

// Adds the fields for these arguments; a parameter without a value has none.
void append_param_headers(json::Parser* parser, const std::vector<ParamHeader>& params,
                          std::string arguments_json, std::vector<HeaderField>& out);

// A value as a header may carry it: base64 in a frame where it is more than plain ASCII.
std::string header_value(std::string_view value);

}  // namespace runnel::tools::mcp
