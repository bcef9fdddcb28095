#pragma once

#include "base/ascii.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace runnel::tools {

// A part of a URL with {placeholders}. A view of the URL.
struct UrlPiece {
    enum class Kind { text, placeholder } kind;
    std::string_view text;  // a placeholder's without its braces
};

// The parts in their order (Boost.URL knows no templates); nothing where a brace has no partner or
// no name inside.
inline std::optional<std::vector<UrlPiece>> split_url_template(std::string_view url) {
    const auto is_name_letter = [](char c) {
        return ascii::is_alphanumeric(c) || c == '_' || c == '-';
    };
    std::vector<UrlPiece> pieces;
    while (!url.empty()) {
        const std::size_t brace = std::min(url.find_first_of("{}"), url.size());
        if (brace > 0) {
            pieces.push_back({UrlPiece::Kind::text, url.substr(0, brace)});
            url.remove_prefix(brace);
            continue;
        }
        const std::size_t end = url.find('}');
        if (url.front() == '}' || end == std::string_view::npos) return std::nullopt;
        const std::string_view name = url.substr(1, end - 1);
        if (name.empty() || !std::ranges::all_of(name, is_name_letter)) return std::nullopt;
        pieces.push_back({UrlPiece::Kind::placeholder, name});
        url.remove_prefix(end + 1);
    }
    return pieces;
}

}  // namespace runnel::tools
