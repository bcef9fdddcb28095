#include "provider/openai/moonshot_schema.hpp"

#include "base/is_in.hpp"
#include "json/tree.hpp"

#include <array>
#include <utility>

namespace runnel::provider {
namespace {

using json::Node;

// Keywords whose value is a schema, a list of them, and an object of them.
constexpr std::array<std::string_view, 4> schema_keywords{"items", "additionalProperties", "not",
                                                          "contains"};
constexpr std::array<std::string_view, 4> list_keywords{"anyOf", "oneOf", "allOf", "prefixItems"};
constexpr std::array<std::string_view, 3> map_keywords{"properties", "$defs", "definitions"};

// Each alternative says its type itself.
void move_type_into_alternatives(Node& schema) {
    Node* alternatives = schema.find("anyOf");
    const Node* type = schema.find("type");
    if (alternatives == nullptr || !alternatives->is_array() || type == nullptr) return;
    for (Node& alternative : alternatives->elements)
        if (alternative.is_object() && alternative.find("type") == nullptr &&
            alternative.find("$ref") == nullptr)
            alternative.set("type", *type);
    schema.erase("type");
}

void rename_tuple(Node& schema) {
    Node* items = schema.find("items");
    if (items == nullptr || !items->is_array()) return;
    Node tuple = std::move(*items);
    schema.erase("items");
    schema.set("prefixItems", std::move(tuple));
    if (Node* rest = schema.find("additionalItems")) {
        Node others = std::move(*rest);
        schema.erase("additionalItems");
        schema.set("items", std::move(others));
    }
}

void clean(Node& schema) {
    if (!schema.is_object()) return;
    rename_tuple(schema);
    move_type_into_alternatives(schema);
    for (auto& [key, value] : schema.members) {
        if (is_in(key, schema_keywords)) clean(value);
        if (is_in(key, list_keywords))
            for (Node& element : value.elements) clean(element);
        if (is_in(key, map_keywords))
            for (auto& [_, inner] : value.members) clean(inner);
    }
}

// Alternatives of the whole can only go.
bool make_object(Node& root) {
    bool lossy = false;
    for (const std::string_view key : {"anyOf", "oneOf"}) lossy |= root.erase(key);
    const Node* type = root.find("type");
    if (type == nullptr || type->text() != "object") root.set("type", Node::string("object"));
    return lossy;
}

}  // namespace

MoonshotSchema moonshot_schema(std::string_view raw) {
    auto root = json::read_tree(raw);
    if (!root || !root->is_object()) return {.text = std::string(raw)};
    MoonshotSchema cleaned;
    root->erase("$schema");
    cleaned.lossy = make_object(*root);
    clean(*root);
    json::append_tree(cleaned.text, *root);
    return cleaned;
}

}  // namespace runnel::provider
