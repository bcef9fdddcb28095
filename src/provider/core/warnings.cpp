#include "provider/core/warnings.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace runnel::provider {

void add_warning(std::vector<std::string>& warnings, std::string_view word) {
    if (std::ranges::find(warnings, word) == warnings.end()) warnings.emplace_back(word);
}

std::string dropped(std::string_view name) {
    constexpr std::size_t name_bytes_max = 64;
    std::string word = "dropped_";
    for (const char c : name.substr(0, name_bytes_max))
        word += ascii::is_alphanumeric(c) || c == '-' ? c : '_';
    return word;
}

std::string dropped_tool(std::string_view type) { return dropped("tool_" + std::string(type)); }

}  // namespace runnel::provider
