#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::server {

// The names and values of a query, unescaped, in their order; what has no = has an empty value.
std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query);

// True when the query has this name, with a value or without: "verbose" in "a=1&verbose".
bool has_flag(std::string_view query, std::string_view name);

// What is under /v1 is under /api/v1 too: the first of both names.
std::string_view plain_path(std::string_view path);

}  // namespace runnel::server
