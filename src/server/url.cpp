#include "server/url.hpp"

#include "base/percent_encoding.hpp"

#include <algorithm>
#include <ranges>

namespace runnel::server {

std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const auto part : std::views::split(query, '&')) {
        const std::string_view field(part.begin(), part.end());
        if (field.empty()) continue;
        const std::size_t equals = std::min(field.find('='), field.size());
        std::string value(field.substr(std::min(equals + 1, field.size())));
        std::ranges::replace(value, '+', ' ');  // as forms write it
        fields.emplace_back(percent_decoded(field.substr(0, equals)), percent_decoded(value));
    }
    return fields;
}

bool has_flag(std::string_view query, std::string_view name) {
    for (const auto part : std::views::split(query, '&')) {
        const std::string_view field(part.begin(), part.end());
        if (field.substr(0, field.find('=')) == name) return true;
    }
    return false;
}

std::string_view plain_path(std::string_view path) {
    if (path.starts_with("/api/v1/")) path.remove_prefix(4);
    return path;
}

}  // namespace runnel::server
