#include "provider/inline_data.hpp"

#include "base/ascii.hpp"
#include "json/text.hpp"

namespace runnel::provider {

std::optional<InlineData> read_data_url(std::string_view escaped) {
    constexpr std::string_view scheme = "data:";
    const std::size_t comma = escaped.find(',');
    if (!escaped.starts_with(scheme) || comma == std::string_view::npos) return std::nullopt;
    const std::string head =
        ascii::lowered(json::unescaped(escaped.substr(scheme.size(), comma - scheme.size())));
    if (!head.ends_with(";base64")) return std::nullopt;
    return InlineData{head.substr(0, head.find(';')), escaped.substr(comma + 1)};
}

}  // namespace runnel::provider
