#pragma once

#include "access/key.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the path and the query of a URL say.
namespace runnel::server {

// What is under /v1 is under /api/v1 too: the first of both names.
std::string_view plain_path(std::string_view path);

// The names and values of a query, unescaped, in their order; what has no = has an empty value.
std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query);

// True when the query has this name, with a value or without: "verbose" in "a=1&verbose".
bool has_flag(std::string_view query, std::string_view name);

// A query whose names are known.
class Query {
public:
    // A name that is none of these is an error that names the nearest one.
    static Result<Query> read(std::string_view text, std::span<const std::string_view> names);

    // Empty where it is not there.
    std::string_view text(std::string_view name) const;
    bool has(std::string_view name) const;
    // These are errors where it is there and is no such thing.
    Result<std::int64_t> number(std::string_view name, std::int64_t otherwise, std::int64_t min,
                                std::int64_t max) const;
    Result<std::optional<access::UtcTime>> time(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace runnel::server
