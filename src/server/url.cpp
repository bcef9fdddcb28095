#include "server/url.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>

namespace runnel::server {

std::string url_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        const char* digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
            out += static_cast<char>(value);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const auto part : std::views::split(query, '&')) {
        const std::string_view field(part.begin(), part.end());
        if (field.empty()) continue;
        const std::size_t equals = std::min(field.find('='), field.size());
        std::string value(field.substr(std::min(equals + 1, field.size())));
        std::ranges::replace(value, '+', ' ');  // as forms write it
        fields.emplace_back(url_decoded(field.substr(0, equals)), url_decoded(value));
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
