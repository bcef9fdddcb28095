#include "json/tree.hpp"

#include "base/limits.hpp"
#include "base/percent_encoding.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <charconv>

namespace runnel::json {
namespace {

bool read_value(ondemand::value value, Node& out) {
    ondemand::json_type type;
    if (value.type().get(type)) return false;
    if (type == ondemand::json_type::object) {
        out.kind = Node::Kind::object;
        ondemand::object object;
        if (value.get_object().get(object)) return false;
        for (auto result : object) {
            ondemand::field field;
            if (std::move(result).get(field)) return false;
            Node::Member& member = out.members.emplace_back(unescaped(escaped_key(field)), Node{});
            if (!read_value(field.value(), member.second)) return false;
        }
        return true;
    }
    if (type == ondemand::json_type::array) {
        out.kind = Node::Kind::array;
        ondemand::array array;
        if (value.get_array().get(array)) return false;
        for (auto result : array) {
            ondemand::value element;
            if (std::move(result).get(element)) return false;
            if (!read_value(element, out.elements.emplace_back())) return false;
        }
        return true;
    }
    std::string_view raw;
    if (!raw_value(value, raw)) return false;
    out.raw = raw;
    return true;
}

auto position(auto& members, std::string_view key) {
    return std::ranges::find(members, key, &Node::Member::first);
}

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

Node Node::scalar(std::string_view raw_json) { return {.raw = std::string(raw_json)}; }

Node Node::string(std::string_view plain) {
    Node node;
    Writer(node.raw).string(plain);
    return node;
}

const Node* Node::find(std::string_view key) const {
    const auto found = position(members, key);
    return found == members.end() ? nullptr : &found->second;
}

Node* Node::find(std::string_view key) {
    const auto found = position(members, key);
    return found == members.end() ? nullptr : &found->second;
}

void Node::set(std::string_view key, Node value) {
    if (Node* here = find(key)) {
        *here = std::move(value);
    } else {
        members.emplace_back(key, std::move(value));
    }
}

bool Node::erase(std::string_view key) {
    return std::erase_if(members, [&](const Member& member) { return member.first == key; }) > 0;
}

std::string Node::text() const {
    return is_string() ? unescaped(std::string_view(raw).substr(1, raw.size() - 2)) : "";
}

std::optional<Node> read_tree(std::string_view raw_json) {
    if (has_more_values(raw_json, limits::tree_values)) return {};
    // As an element: a document that is a bare scalar can't be read as a value.
    std::string text = "[";
    text.append(raw_json).append("]");
    Parser parser;
    ondemand::document document;
    ondemand::value value;
    Node root;
    const bool readable = !parser.parse_strict(Padded::of(text), document) &&
                          !document.get_value().get(value) &&
                          !validate(value, limits::json_depth + 1) &&
                          document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (readable) document.rewind();
    if (!readable || document.get_value().get(value) || !read_value(value, root)) return {};
    if (root.elements.size() != 1) return {};
    return std::move(root.elements.front());
}

void append_tree(std::string& out, const Node& node) {
    Writer w(out);
    switch (node.kind) {
        case Node::Kind::scalar: w.raw(node.raw); break;
        case Node::Kind::object:
            w.begin_object();
            for (const auto& [key, value] : node.members) {
                w.key(key);
                append_tree(out, value);
            }
            w.end_object();
            break;
        case Node::Kind::array:
            w.begin_array();
            for (const Node& element : node.elements) append_tree(out, element);
            w.end_array();
            break;
    }
}

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
