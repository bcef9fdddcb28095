#pragma once

#include "config/config.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::config {

// A YAML value and where it stands. A plain tree: aliases are copies of what they name.
struct Node {
    enum class Kind { null, scalar, list, map };
    enum class Style {
        plain,
        quoted
    };  // quoted (or a block of text): a string whatever it looks like

    Kind kind = Kind::null;
    Style style = Style::plain;
    std::string text{};            // a scalar's
    std::vector<Node> children{};  // a list's items; a map's key, value, key, value …
    int line = 1;
    int column = 1;
};

// The file's one document, or the place where it stops being YAML. Text of any size, depth and
// bytes is safe to give.
std::expected<Node, Problem> parse_yaml(std::string_view text);

// YAML that parses into the same tree; its comments and its lines are not kept.
std::string write_yaml(const Node& node);

}  // namespace runnel::config
