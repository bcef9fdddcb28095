#include "provider/gemini/schema.hpp"

#include "base/is_in.hpp"
#include "json/tree.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace runnel::provider::gemini {

using json::Node;

namespace {

constexpr std::size_t nodes_max = 20'000;
constexpr std::size_t node_bytes = 256;  // a long text counts as several

constexpr std::array<std::string_view, 6> types{"string",  "number", "integer",
                                                "boolean", "array",  "object"};
constexpr std::array<std::string_view, 6> formats{"enum",  "date-time", "int32",
                                                  "int64", "float",     "double"};
// Kept as they are, if their values are what they should be. All others (additionalProperties,
// $schema, default…) are refused or ignored.
constexpr std::array<std::string_view, 3> text_keywords{"title", "description", "pattern"};
constexpr std::array<std::string_view, 8> number_keywords{
    "minItems", "maxItems", "minLength",     "maxLength",
    "minimum",  "maximum",  "minProperties", "maxProperties"};

// What else is understood of a schema.
constexpr std::array<std::string_view, 11> other_keywords{
    "type",     "nullable", "format", "enum",  "const",      "properties",
    "required", "items",    "anyOf",  "oneOf", "prefixItems"};

bool is_understood(std::string_view key) {
    return is_in(key, text_keywords) || is_in(key, number_keywords) || is_in(key, other_keywords);
}

Node typed(std::string_view type) {
    Node node = Node::object();
    node.set("type", Node::string(type));
    return node;
}

bool is_plain_keyword(std::string_view key, const Node& value) {
    if (value.kind != Node::Kind::scalar) return false;
    if (is_in(key, text_keywords)) return value.is_string();
    if (key == "nullable") return value.raw == "true" || value.raw == "false";
    const bool number =
        !value.raw.empty() && std::string_view("-0123456789").contains(value.raw[0]);
    return number && is_in(key, number_keywords);
}

bool is_null(const Node& node) { return node.kind == Node::Kind::scalar && node.raw == "null"; }

// Only null fits it.
bool is_null_schema(const Node& flat) {
    const Node* type = flat.find("type");
    const Node* value = flat.find("const");
    return (type != nullptr && type->text() == "null") || (value != nullptr && is_null(*value));
}

// Adds what `more` says and `to` doesn't; properties and required names come together.
void merge(Node& to, Node more) {
    for (auto& [key, value] : more.members) {
        Node* here = to.find(key);
        if (here == nullptr) {
            to.set(key, std::move(value));
        } else if (key == "properties") {
            merge(*here, std::move(value));
        } else if (key == "required") {
            for (Node& name : value.elements) here->elements.push_back(std::move(name));
        }
    }
}

class Cleaner {
public:
    Cleaner(const Node& root, PropertyOrder order) : root_(root), order_(order) {}

    // The root must be an object by itself: alternatives beside its properties can only go.
    Node clean_root() {
        Node root = root_;
        if (root.find("properties") != nullptr)
            for (const std::string_view key : {"anyOf", "oneOf"}) sanitised_ |= root.erase(key);
        return clean(root);
    }

    Node clean(const Node& schema) {
        if (is_too_large(1)) return typed("object");
        const std::size_t refs_before = refs_.size();
        Node cleaned = convert(flattened(schema));
        refs_.resize(refs_before);
        return cleaned;
    }

    bool sanitised() const { return sanitised_; }
    bool recursive() const { return recursive_; }
    bool too_large() const { return nodes_ > nodes_max; }

private:
    // Once references are replaced, the same text may stand in many places.
    bool is_too_large(std::size_t more_nodes) { return (nodes_ += more_nodes) > nodes_max; }

    // The schema without $ref and allOf. Followed references stay in refs_ until all below them is
    // cleaned.
    Node flattened(const Node& schema) {
        if (!schema.is_object()) {  // true and false are schemas too
            sanitised_ = true;
            return typed("object");
        }
        Node flat = Node::object();
        if (const Node* ref = schema.find("$ref")) flat = referred(ref->text());
        for (const auto& [key, value] : schema.members) {
            if (is_understood(key))
                flat.set(key, value);
            else if (key != "$ref" && key != "allOf")
                sanitised_ = true;
        }
        if (const Node* all = schema.find("allOf")) {
            sanitised_ = true;
            for (const Node& part : all->elements) merge(flat, flattened(part));
        }
        return flat;
    }

    Node referred(const std::string& ref) {
        sanitised_ = true;
        const Node* target = resolved(ref);
        if (std::ranges::find(refs_, ref) != refs_.end()) {
            recursive_ = true;
            target = nullptr;
        }
        if (target == nullptr) return typed("object");
        refs_.push_back(ref);
        return flattened(*target);
    }

    // What a local reference like #/$defs/Point stands for; null when there is no such thing.
    const Node* resolved(std::string_view ref) const {
        if (!ref.starts_with('#')) return nullptr;
        ref.remove_prefix(1);
        const Node* here = &root_;
        while (here != nullptr && ref.starts_with('/')) {
            const std::size_t end = std::min(ref.find('/', 1), ref.size());
            here = here->find(unquoted(ref.substr(1, end - 1)));
            ref.remove_prefix(end);
        }
        return here;
    }

    // JSON Pointer writes ~1 for a slash and ~0 for a tilde.
    static std::string unquoted(std::string_view step) {
        std::string plain;
        for (std::size_t i = 0; i < step.size(); ++i) {
            const std::string_view pair = step.substr(i, 2);
            plain += pair == "~1" ? '/' : pair == "~0" ? '~' : step[i];
            if (pair == "~1" || pair == "~0") ++i;
        }
        return plain;
    }

    Node convert(Node flat) {
        take_null_out(flat);
        if (const Node* several = flat.find("type");
            several && several->kind == Node::Kind::array) {
            std::vector<Node> branches;
            for (const Node& name : several->elements) branches.push_back(typed(name.text()));
            flat.erase("type");
            return union_of(branches, std::move(flat));
        }
        for (const std::string_view key : {"anyOf", "oneOf"}) {
            const Node* branches = flat.find(key);
            if (branches == nullptr) continue;
            const std::vector<Node> alternatives = branches->elements;
            sanitised_ = sanitised_ || key == "oneOf";
            flat.erase("anyOf");
            flat.erase("oneOf");
            if (!alternatives.empty()) return union_of(alternatives, std::move(flat));
        }
        return converted_keywords(flat);
    }

    // A type that may be null is nullable.
    void take_null_out(Node& flat) {
        Node* type = flat.find("type");
        if (type == nullptr) return;
        bool null = type->text() == "null";
        if (type->kind == Node::Kind::array) {
            sanitised_ = true;
            null = std::erase_if(type->elements,
                                 [](const Node& name) { return name.text() == "null"; }) > 0;
            if (type->elements.size() == 1) *type = Node(type->elements[0]);
        }
        const bool empty = type->kind == Node::Kind::array && type->elements.empty();
        if (empty || type->text() == "null") flat.erase("type");
        if (null) make_nullable(flat);
    }

    void make_nullable(Node& flat) {
        sanitised_ = true;
        flat.set("nullable", Node::scalar("true"));
    }

    // Vertex wants anyOf alone, so what stands beside it goes into each of its branches.
    Node union_of(const std::vector<Node>& branches, Node beside) {
        const std::size_t refs_before = refs_.size();
        std::vector<Node> kept;
        for (const Node& branch : branches) {
            const bool null = is_null_schema(flattened(branch));
            refs_.resize(refs_before);
            if (null) make_nullable(beside);
            if (!null) kept.push_back(branch);
        }
        sanitised_ = sanitised_ || !beside.members.empty();
        if (kept.empty()) return converted_keywords(beside);
        Node all = Node::array();
        for (const Node& branch : kept) {
            if (is_too_large(1)) {
                all.elements.push_back(typed("object"));
                continue;
            }
            Node flat = flattened(branch);
            if (kept.size() == 1) {
                // What the outer schema says of the one alternative is about this very place.
                Node outer = beside;
                merge(outer, std::move(flat));
                flat = std::move(outer);
            } else {
                merge(flat, beside);
            }
            all.elements.push_back(convert(std::move(flat)));
            refs_.resize(refs_before);
        }
        if (all.elements.size() == 1) return std::move(all.elements[0]);
        Node out = Node::object();
        out.set("anyOf", std::move(all));
        return out;
    }

    Node converted_keywords(const Node& flat) {
        const std::string type = type_of(flat);
        Node out = Node::object();
        if (!type.empty()) out.set("type", Node::string(type));
        for (const auto& [key, value] : flat.members) {
            if (key == "type") {
                sanitised_ = sanitised_ || type != value.text();
            } else if (is_plain_keyword(key, value)) {
                if (!is_too_large(value.raw.size() / node_bytes)) out.set(key, value);
            } else if (key == "format" && is_in(value.text(), formats)) {
                out.set(key, value);
            } else if (key == "enum" && value.kind == Node::Kind::array) {
                add_enum(out, type, value.elements);
            } else if (key == "const") {
                sanitised_ = true;
                add_enum(out, type, {value});
            } else if (key == "properties" && type == "object") {
                add_properties(out, value);
            } else if (key == "required" && type == "object") {
                add_required(out, value, flat.find("properties"));
            } else if ((key == "items" || key == "prefixItems") && type == "array") {
                add_items(out, value);
            } else {
                sanitised_ = true;
            }
        }
        if (type == "array" && out.find("items") == nullptr) {
            sanitised_ = true;
            out.set("items", typed("string"));
        }
        return out;
    }

    // The type a schema names, or the one that its other keywords imply.
    static std::string type_of(const Node& flat) {
        if (const Node* type = flat.find("type"))
            return is_in(type->text(), types) ? type->text() : "";
        if (flat.find("properties") != nullptr) return "object";
        if (flat.find("items") != nullptr || flat.find("prefixItems") != nullptr) return "array";
        const Node* values = flat.find("enum");
        const Node* value = values != nullptr && !values->elements.empty() ? &values->elements[0]
                                                                           : flat.find("const");
        if (value == nullptr || value->kind != Node::Kind::scalar || is_null(*value)) return "";
        if (value->is_string()) return "string";
        return value->raw == "true" || value->raw == "false" ? "boolean" : "number";
    }

    // Only strings can be enumerated, and not the empty one. Numbers keep their type and lose their
    // list: as strings they would come back as strings.
    void add_enum(Node& out, std::string_view type, const std::vector<Node>& values) {
        Node kept = Node::array();
        if (is_too_large(values.size())) return;
        for (const Node& value : values) {
            if (is_too_large(value.raw.size() / node_bytes)) return;
            if (is_null(value)) make_nullable(out);
            if (type == "string" && !value.text().empty()) kept.elements.push_back(value);
        }
        sanitised_ = sanitised_ || kept.elements.size() < values.size();
        if (!kept.elements.empty()) out.set("enum", std::move(kept));
    }

    void add_properties(Node& out, const Node& properties) {
        if (properties.members.empty()) return;
        Node cleaned = Node::object();
        Node names = Node::array();
        for (const auto& [name, schema] : properties.members) {
            cleaned.members.emplace_back(name, clean(schema));
            names.elements.push_back(Node::string(name));
        }
        out.set("properties", std::move(cleaned));
        if (order_ == PropertyOrder::spelled_out) out.set("propertyOrdering", std::move(names));
    }

    void add_required(Node& out, const Node& required, const Node* properties) {
        Node names = Node::array();
        std::set<std::string_view> unnamed;  // properties, so far
        if (properties != nullptr)
            for (const Node::Member& member : properties->members) unnamed.insert(member.first);
        for (const Node& name : required.elements)
            if (unnamed.erase(name.text()) > 0) names.elements.push_back(name);
        sanitised_ = sanitised_ || names.elements.size() < required.elements.size();
        if (!names.elements.empty()) out.set("required", std::move(names));
    }

    // A tuple's elements can't be told apart by their place: any of them may stand anywhere.
    void add_items(Node& out, const Node& items) {
        if (items.kind != Node::Kind::array) {
            if (items.is_object()) out.set("items", clean(items));
            return;
        }
        sanitised_ = true;
        if (items.elements.empty() || out.find("items") != nullptr) return;
        Node any = Node::object();
        any.set("anyOf", items);
        out.set("items", clean(any));
    }

    const Node& root_;
    PropertyOrder order_;
    std::vector<std::string> refs_;
    std::size_t nodes_ = 0;
    bool sanitised_ = false;
    bool recursive_ = false;
};

}  // namespace

Result<Schema> openapi_schema(std::string_view raw, PropertyOrder order) {
    const auto root = json::read_tree(raw);
    if (!root || root->kind == Node::Kind::scalar)
        return fail(ErrorKind::tool_schema_invalid, "the schema is not valid JSON");
    Cleaner cleaner(*root, order);
    const Node cleaned = cleaner.clean_root();
    if (cleaner.too_large())
        return fail(
            ErrorKind::tool_schema_invalid,
            "the schema is too large once its references are replaced by what they stand for");
    Schema schema{.sanitised = cleaner.sanitised(), .recursive = cleaner.recursive()};
    const Node* type = cleaned.find("type");
    const bool empty = type != nullptr && type->text() == "object" && !cleaned.find("properties");
    if (!empty) json::append_tree(schema.text, cleaned);
    return schema;
}

}  // namespace runnel::provider::gemini
