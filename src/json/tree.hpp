#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::json {

// A JSON value small enough to be held as a tree. Scalars keep the text they had.
struct Node {
    enum class Kind { scalar, object, array };
    using Member = std::pair<std::string, Node>;

    Kind kind = Kind::scalar;
    std::string raw{};              // scalar
    std::vector<Member> members{};  // object, in order
    std::vector<Node> elements{};   // array

    static Node scalar(std::string_view raw_json);
    static Node string(std::string_view plain);
    static Node object() { return {.kind = Kind::object}; }
    static Node array() { return {.kind = Kind::array}; }

    const Node* find(std::string_view key) const;
    Node* find(std::string_view key);
    void set(std::string_view key, Node value);
    bool erase(std::string_view key);  // true when it was there
    // The text of a string; empty for all else.
    std::string text() const;
    bool is_string() const { return kind == Kind::scalar && raw.starts_with('"'); }
    bool is_object() const { return kind == Kind::object; }
    bool is_array() const { return kind == Kind::array; }
};

// Nothing when it is not one well-formed JSON value, nested no deeper than limits::json_depth and
// with no more values inside than limits::tree_values.
std::optional<Node> read_tree(std::string_view raw_json);
void append_tree(std::string& out, const Node& node);

// What a reference like "#/$defs/item" stands for within its document; null when there is nothing,
// or when it leads to another document.
const Node* at_reference(const Node& root, std::string_view reference);

}  // namespace runnel::json
