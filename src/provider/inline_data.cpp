#include "provider/inline_data.hpp"

#include "json/text.hpp"

#include <algorithm>
#include <cctype>

namespace runnel::provider {

std::optional<InlineData> read_data_url(std::string_view escaped) {
    constexpr std::string_view scheme = "data:";
    const std::size_t comma = escaped.find(',');
    if (!escaped.starts_with(scheme) || comma == std::string_view::npos) return std::nullopt;
    std::string head = json::unescaped(escaped.substr(scheme.size(), comma - scheme.size()));
    std::ranges::transform(head, head.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!head.ends_with(";base64")) return std::nullopt;
    return InlineData{head.substr(0, head.find(';')), escaped.substr(comma + 1)};
}

}  // namespace runnel::provider
