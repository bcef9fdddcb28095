#include "json/pointer.hpp"

#include "base/percent_encoding.hpp"

#include <charconv>

namespace runnel::json {
namespace {

// Of a JSON pointer in a URI fragment, where %25, ~1 and ~0 stand for other characters.
std::string plain_token(std::string_view part) {
    const std::string escaped = percent_decoded(part);
    std::string plain;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        const std::string_view two = std::string_view(escaped).substr(i, 2);
        if (two == "~1" || two == "~0") {
            plain += escaped[++i] == '1' ? '/' : '~';
        } else {
            plain += escaped[i];
        }
    }
    return plain;
}

const Node* element_at(const Node& array, std::string_view index) {
    std::size_t at = 0;
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), at);
    const bool fits = error == std::errc() && end == index.data() + index.size();
    return fits && at < array.elements.size() ? &array.elements[at] : nullptr;
}

}  // namespace

const Node* at_reference(const Node& root, std::string_view reference) {
    if (reference == "#") return &root;
    if (!reference.starts_with("#/")) return nullptr;
    const Node* node = &root;
    for (std::string_view rest = reference.substr(2); node != nullptr;) {
        const std::size_t slash = rest.find('/');
        const std::string token = plain_token(rest.substr(0, slash));
        node = node->is_array() ? element_at(*node, token) : node->find(token);
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
    }
    return node;
}

}  // namespace runnel::json
