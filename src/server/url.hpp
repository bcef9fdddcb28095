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

// The one name, as the table of endpoints has it, of all that clients have for a path: without
// slashes that are there twice or at the end, without what other servers have before /v1 (/api/v1,
// /openai/v1, /anthropic/v1), with the /v1 that some leave out, and of a deployment of Azure's what
// is asked of it. Whoever decides anything by a path goes by this one. Dots and escapes stay as
// they are, and lead nowhere.
std::string plain_path(std::string_view path);

// Whether that added the version. The console has pages at some of these paths, for browsers.
bool lacks_version(std::string_view path);

// What /openai/deployments/{name}/… names, unescaped; empty: the path is not under it.
std::string deployment_in(std::string_view path);

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
