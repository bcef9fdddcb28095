#include "config/yaml/masked_text.hpp"

#include "base/ascii.hpp"
#include "base/redact.hpp"
#include "config/secret_file.hpp"
#include "config/yaml/yaml_tree.hpp"

#include <algorithm>
#include <vector>

namespace runnel::config {
namespace {

constexpr std::string_view mask = secret_mask;

enum class Inside { anything, group, secrets };

// Names of maps and lists in which everything may be a secret, and endings of those that hold one.
constexpr std::string_view secret_groups[] = {"keys", "headers", "env"};
constexpr std::string_view secret_endings[] = {"key",    "token",         "secret", "password",
                                               "passwd", "authorization", "cookie"};

Inside inside_of(std::string_view name, Inside around) {
    if (around == Inside::group) return Inside::secrets;
    // Where a secret is to be found is none.
    if (around == Inside::secrets)
        return std::ranges::find(ways_to_secrets, name) != std::end(ways_to_secrets)
                   ? Inside::anything
                   : Inside::secrets;
    const std::string lower = ascii::lowered(name);
    if (std::ranges::find(secret_groups, lower) != std::end(secret_groups)) return Inside::group;
    const auto ends = [&](auto ending) { return lower.ends_with(ending); };
    return std::ranges::any_of(secret_endings, ends) ? Inside::secrets : Inside::anything;
}

// Nothing but variables: ${NAME}, "Bearer ${NAME}" is not.
bool is_variable(std::string_view text) {
    return text.starts_with("${") && text.find('}') == text.size() - 1;
}

// postgres://user:***@host
std::string without_password(std::string_view text) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) return std::string(text);
    const std::size_t begin = scheme + 3;
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const std::size_t at = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', begin);
    if (at == std::string_view::npos || at < begin || colon >= at) return std::string(text);
    if (is_variable(text.substr(colon + 1, at - colon - 1))) return std::string(text);
    std::string out(text.substr(0, colon + 1));
    out += mask;
    out += text.substr(at);
    return out;
}

struct Found {
    Node* scalar;
    std::string shown;  // in its place
};

void find_secrets(Node& node, Inside inside, std::vector<Found>& found) {
    switch (node.kind) {
        case Node::Kind::null: return;
        case Node::Kind::scalar: {
            if (node.text.empty() || is_variable(node.text)) return;
            std::string shown =
                inside == Inside::anything ? masked_value(node.text) : std::string(mask);
            if (shown != node.text) found.push_back({&node, std::move(shown)});
            return;
        }
        case Node::Kind::list:
            for (Node& child : node.children)
                find_secrets(child, inside == Inside::group ? Inside::secrets : inside, found);
            return;
        case Node::Kind::map:
            for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
                find_secrets(node.children[i + 1], inside_of(node.children[i].text, inside), found);
            return;
    }
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

// Where a scalar begins in the text; its end where there is no such place.
std::size_t place_of(std::string_view text, const Node& scalar) {
    std::size_t at = 0;
    for (int line = 1; line < scalar.line; ++line)
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    return std::min(at + static_cast<std::size_t>(scalar.column) - 1, text.size());
}

// Puts `shown` where the scalar stands, as long as it stands there in one of the usual ways.
void replace_in_place(std::string& text, const Found& found) {
    const std::size_t at = place_of(text, *found.scalar);
    const std::string& value = found.scalar->text;
    if (text.compare(at, value.size(), value) == 0) {
        // Bare, *** would be an alias.
        text.replace(at, value.size(), found.shown == mask ? "\"***\"" : found.shown);
    } else if (at < text.size() && text.compare(at + 1, value.size(), value) == 0) {
        text.replace(at + 1, value.size(), found.shown);  // quoted
    }
}

// Secrets that are written in another way, or twice: whatever of their text is still there goes.
void replace_anywhere(std::string& text, const Found& found) {
    constexpr std::size_t telling_bytes = 4;
    std::string_view rest = found.scalar->text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.size() >= telling_bytes && found.shown == mask) replace_all(text, line, mask);
    }
}

std::vector<Found> secrets_of(Node& tree) {
    std::vector<Found> found;
    find_secrets(tree, Inside::anything, found);
    return found;
}

bool tells_nothing(std::string_view yaml) {
    auto tree = parse_yaml(yaml);
    return tree && secrets_of(*tree).empty();
}

}  // namespace

std::string masked_value(std::string_view text) { return without_password(redacted(text)); }

std::string masked_text(std::string_view yaml) {
    std::string text(yaml);
    auto tree = parse_yaml(yaml);
    if (!tree) return redacted(text);
    std::vector<Found> found = secrets_of(*tree);
    // From the end, so that the places of those before stay what they are. Aliases are there twice.
    std::ranges::sort(found, std::greater(), [](const Found& one) {
        return std::pair(one.scalar->line, one.scalar->column);
    });
    for (const Found& one : found) replace_in_place(text, one);
    for (const Found& one : found) replace_anywhere(text, one);
    if (tells_nothing(text)) return text;
    // Written in a way that can't be mended in place: better without its comments than with
    // secrets.
    for (Found& one : found) one.scalar->text = std::move(one.shown);
    return write_yaml(*tree);
}

}  // namespace runnel::config
