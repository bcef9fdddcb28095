#pragma once

#include "access/key.hpp"
#include "base/nearest.hpp"
#include "json/form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The values of a key's description, each read strictly: an error names the field. Null takes a
// value away.
namespace runnel::access {

// A text of one line.
Result<void> read_text(const json::FormValue& value, std::string& into);

// Texts that `check` has nothing against; it may put them into their usual form.
using CheckText = std::function<Result<void>(const json::FormValue& value, std::string& text)>;
Result<void> read_texts(const json::FormValue& value, std::vector<std::string>& into,
                        const CheckText& check);
Result<void> check_scope(const json::FormValue& value, std::string& scope);
Result<void> check_model(const json::FormValue& value, std::string& model);
Result<void> check_tool(const json::FormValue& value, std::string& tool);
Result<void> check_origin(const json::FormValue& value, std::string& origin);
Result<void> check_address(const json::FormValue& value, std::string& address);

// Limits that are not named stay as they are.
Result<void> read_limits(const json::FormValue& value, RateLimits& limits);
Result<void> read_model_limits(const json::FormValue& value,
                               std::vector<std::pair<std::string, RateLimits>>& into);
Result<void> read_budget(const json::FormValue& value, std::optional<Budget>& into);
Result<void> read_expiry(const json::FormValue& value, std::optional<UtcTime>& into, UtcTime now);
Result<void> read_metadata(const json::FormValue& value, std::string& into);

// The value whose name it is, where `names` are in the order of the Enum.
template <class Enum>
Result<void> read_one_of(const json::FormValue& value, std::span<const std::string_view> names,
                         Enum& into) {
    std::string text;
    if (auto read = read_text(value, text); !read) return read;
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
        return value.wrong(fmt::format("must be one of {}, not '{}'{}", fmt::join(names, ", "),
                                       text, did_you_mean(text, names)));
    into = static_cast<Enum>(found - names.begin());
    return {};
}

}  // namespace runnel::access
