#pragma once

#include "base/result.hpp"
#include "policy/key.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::server {

// What stands after the question mark of a URL.
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
    Result<std::optional<policy::UtcTime>> time(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace runnel::server
