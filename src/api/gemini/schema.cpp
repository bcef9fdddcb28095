#include "api/gemini/schema.hpp"

#include "api/gemini/spelling.hpp"
#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "json/tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace runnel::api::gemini {
namespace {

using json::Node;

constexpr std::array<std::string_view, 6> count_keywords{
    "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"};
constexpr std::array<std::string_view, 3> inner_schemas{"items", "additionalProperties", "not"};
constexpr std::array<std::string_view, 4> schema_lists{"anyOf", "oneOf", "allOf", "prefixItems"};
constexpr std::array<std::string_view, 3> schema_maps{"properties", "$defs", "definitions"};

bool is_count(const std::string& text) {
    return !text.empty() && text.size() <= 18 && std::ranges::all_of(text, ascii::is_digit);
}

class OpenApi {
public:
    void convert(Node& schema) {
        if (!schema.is_object()) return;
        for (auto& [name, value] : schema.members) {
            name = camel_case(name);
            convert_keyword(name, value);
        }
        const Node* type = schema.find("type");
        if (type != nullptr && type->text() == "type_unspecified") schema.erase("type");
        schema.erase("propertyOrdering");
        const Node* nullable = schema.find("nullable");
        if (nullable == nullptr) return;
        const bool takes_null = nullable->raw == "true";
        schema.erase("nullable");
        if (takes_null) add_null(schema);
    }

private:
    void convert_keyword(std::string_view name, Node& value) {
        if (name == "type") {
            lower(value);
            for (Node& one : value.elements) lower(one);
        } else if (is_in(name, inner_schemas)) {
            convert(value);
        } else if (is_in(name, schema_lists)) {
            for (Node& one : value.elements) convert(one);
        } else if (is_in(name, schema_maps)) {
            for (auto& [_, one] : value.members) convert(one);
        } else if (is_in(name, count_keywords)) {
            // Google writes 64-bit integers as strings.
            if (std::string text = value.text(); is_count(text)) value = Node::scalar(text);
        }
    }

    static void lower(Node& type) {
        if (type.is_string()) type = Node::string(ascii::lowered(type.text()));
    }

    static void add_null(Node& schema) {
        if (Node* values = schema.find("enum"); values != nullptr && values->is_array())
            values->elements.push_back(Node::scalar("null"));
        if (Node* type = schema.find("type"); type != nullptr && type->is_string()) {
            Node both = Node::array();
            both.elements.push_back(*type);
            both.elements.push_back(Node::string("null"));
            *type = std::move(both);
        } else if (Node* branches = schema.find("anyOf");
                   branches != nullptr && branches->is_array()) {
            Node null = Node::object();
            null.set("type", Node::string("null"));
            branches->elements.push_back(std::move(null));
        }
    }
};

}  // namespace

std::string json_schema(std::string_view openapi_raw) {
    auto schema = json::read_tree(openapi_raw);
    if (!schema) return std::string(openapi_raw);
    OpenApi().convert(*schema);
    std::string out;
    json::append_tree(out, *schema);
    return out;
}

}  // namespace runnel::api::gemini
