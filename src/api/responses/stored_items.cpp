#include "api/responses/stored_items.hpp"

#include "api/request_body.hpp"
#include "api/responses/input_items.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::api::responses {

using json::Node;

namespace {

// A text as the one part of a message that `role` says.
Node content_of(const Node& text, std::string_view role) {
    Node part = Node::object();
    part.set("type", Node::string(role == "assistant" ? "output_text" : "input_text"));
    part.set("text", text);
    Node content = Node::array();
    content.elements.push_back(std::move(part));
    return content;
}

Node with_what_is_plain(Node item, std::string_view id) {
    if (!item.is_object()) return item;
    if (item.find("type") == nullptr) item.set("type", Node::string("message"));
    if (item.find("id") == nullptr) item.set("id", Node::string(id));
    const Node* role = item.find("role");
    if (const Node* content = item.find("content");
        role != nullptr && content != nullptr && content->is_string())
        item.set("content", content_of(Node(*content), role->text()));
    return item;
}

bool is_reference(const Node& item) {
    const Node* type = item.find("type");
    if (type != nullptr) return type->text() == "item_reference";
    return item.find("role") == nullptr && item.find("id") != nullptr;
}

}  // namespace

std::vector<Node> plain_items(std::string_view input_json, std::string_view id_begin) {
    auto input = json::read_tree(input_json);
    if (!input) return {};
    if (input->is_string()) {
        Node message = Node::object();
        message.set("role", Node::string("user"));
        message.set("content", std::move(*input));
        input = Node::array();
        input->elements.push_back(std::move(message));
    }
    std::vector<Node> items;
    for (Node& item : input->elements)
        items.push_back(
            with_what_is_plain(std::move(item), fmt::format("{}{}", id_begin, items.size())));
    return items;
}

std::string input_id_begin(std::string_view response_id) {
    return fmt::format("in_{}_", response_id.substr(response_id.find('_') + 1));
}

std::vector<Node> output_items(std::string_view response_json) {
    auto response = json::read_tree(response_json);
    Node* output = response ? response->find("output") : nullptr;
    return output == nullptr ? std::vector<Node>() : std::move(output->elements);
}

std::string id_of(const Node& item) {
    const Node* id = item.find("id");
    return id == nullptr ? std::string() : id->text();
}

Result<void> check_items(std::string_view items_json, json::Parser* parser) {
    std::string body = fmt::format(R"({{"items":{}}})", items_json);
    chat::Request request;
    InputItems items(&request);
    RequestBody fields;
    auto read = fields.open(body, parser);
    if (read)
        read = fields.for_each_field(
            [&](std::string_view, Value& value) -> Result<void> { return items.read(value); });
    if (!read) return read;
    if (!items.refers()) return {};
    return fail_at(ErrorKind::invalid_value, "items",
                   "items has a reference to an item; send the item itself");
}

// As item_id() and list_input_items() make them: a kind, the response's own part, a place.
std::string response_of_item(std::string_view item_id) {
    const std::size_t begin = item_id.find('_');
    const std::size_t end = item_id.rfind('_');
    if (begin == std::string_view::npos || end <= begin + 1) return {};
    return fmt::format("resp_{}", item_id.substr(begin + 1, end - begin - 1));
}

bool stands_for_others(std::string_view type) { return type == "item_reference"; }

std::vector<std::string> references_in(const chat::Request& request) {
    std::vector<std::string> ids;
    for (const chat::Message& message : request.messages)
        for (const chat::Part& part : message.parts) {
            const auto* other = part.as<chat::Other>();
            if (other == nullptr || !stands_for_others(other->type)) continue;
            if (const auto item = json::read_tree(other->raw)) ids.push_back(id_of(*item));
        }
    return ids;
}

Result<std::string> with_items(std::string_view body, const Items& items) {
    auto request = json::read_tree(body);
    Node* input = request ? request->find("input") : nullptr;
    if (input == nullptr)
        return fail_at(ErrorKind::request_too_large, "input",
                       "the request is too large to look up the items that it refers to; send the "
                       "items themselves");
    for (Node& item : input->elements) {
        if (!item.is_object() || !is_reference(item)) continue;
        if (const auto found = items.find(id_of(item)); found != items.end()) item = found->second;
    }
    std::string out;
    json::append_tree(out, *request);
    return out;
}

}  // namespace runnel::api::responses
