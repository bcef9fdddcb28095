#include "storage/records/responses.hpp"

#include "access/ownership.hpp"
#include "json/place.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/log_query.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

// Responses that were stored, as their callers look them up and take them away.
namespace runnel::server {

using boost::asio::awaitable;
using json::Node;
using storage::Database;
using storage::StoredResponse;

namespace {

constexpr std::array<std::string_view, 4> item_query_names{"limit", "order", "after", "include"};

Error not_found(std::string_view id) {
    return {ErrorKind::not_found,
            fmt::format("Response with id {} not found: it was not stored, was deleted or is "
                        "another caller's.",
                        json::in_quotes(id))};
}

awaitable<Result<StoredResponse>> find(const Call* call) {
    const std::string id = call->path_variable();
    auto found = co_await ask_store<std::optional<StoredResponse>>(
        call->resources->shared->queries,
        [id, owner = access::owner_digest(call->caller)](Database& database) {
            return storage::find_response(database, id, owner);
        });
    if (!found) co_return propagate(found);
    if (!*found) co_return fail(not_found(id));
    co_return std::move(**found);
}

// A text as the one part of a message that `role` says.
Node content_of(const Node& text, std::string_view role) {
    Node part = Node::object();
    part.set("type", Node::string(role == "assistant" ? "output_text" : "input_text"));
    part.set("text", text);
    Node content = Node::array();
    content.elements.push_back(std::move(part));
    return content;
}

// Clients may leave out what is plain; whoever reads the items finds it there.
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

std::vector<Node> input_items(const StoredResponse& response) {
    auto input = json::read_tree(response.input_json);
    if (!input) return {};
    if (input->is_string()) {
        Node message = Node::object();
        message.set("role", Node::string("user"));
        message.set("content", std::move(*input));
        input = Node::array();
        input->elements.push_back(std::move(message));
    }
    const std::size_t prefix = response.id.find('_') + 1;
    std::vector<Node> items;
    for (Node& item : input->elements)
        items.push_back(with_what_is_plain(
            std::move(item), fmt::format("in_{}_{}", response.id.substr(prefix), items.size())));
    return items;
}

std::string id_of(const Node& item) {
    const Node* id = item.find("id");
    return id == nullptr ? std::string() : id->text();
}

Result<std::string> item_page(const StoredResponse& response, const Query& asked) {
    auto limit = asked.number("limit", 20, 1, 100);
    if (!limit) return propagate(limit);
    const std::string_view order = asked.has("order") ? asked.text("order") : "desc";
    if (order != "asc" && order != "desc")
        return fail(ErrorKind::invalid_value, "order must be asc or desc");
    std::vector<Node> items = input_items(response);
    if (order == "desc") std::ranges::reverse(items);
    auto begin = items.begin();
    if (asked.has("after")) {
        begin = std::ranges::find(items, asked.text("after"), id_of);
        if (begin == items.end())
            return fail(ErrorKind::invalid_value,
                        "after is not the id of an item of this response");
        ++begin;
    }
    const auto end = begin + std::min<std::ptrdiff_t>(*limit, items.end() - begin);
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (auto item = begin; item != end; ++item) {
        std::string text;
        json::append_tree(text, *item);
        out.raw(text);
    }
    out.end_array().key("first_id");
    begin == end ? out.null() : out.string(id_of(*begin));
    out.key("last_id");
    begin == end ? out.null() : out.string(id_of(*(end - 1)));
    out.key("has_more").boolean(end != items.end()).end_object();
    return body;
}

}  // namespace

Answer show_response(Call call) {
    auto found = co_await find(&call);
    Result<std::string> body =
        found ? Result<std::string>(std::move(found->response_json)) : propagate(found);
    co_await send_result(call, std::move(body));
}

Answer list_input_items(Call call) {
    auto asked = Query::read(call.request().query(), item_query_names);
    if (!asked) {
        co_await refuse(call, std::move(asked.error()));
        co_return;
    }
    auto found = co_await find(&call);
    Result<std::string> body = found ? item_page(*found, *asked) : propagate(found);
    co_await send_result(call, std::move(body));
}

Answer delete_response(Call call) {
    const std::string id = call.path_variable();
    auto deleted = co_await ask_store<bool>(
        call.resources->shared->queries,
        [id, owner = access::owner_digest(call.caller)](Database& database) {
            return storage::delete_response(database, id, owner);
        });
    if (deleted && !*deleted) deleted = fail(not_found(id));
    Result<std::string> body;
    if (deleted) {
        json::Writer(*body)
            .begin_object()
            .key("id")
            .string(id)
            .key("object")
            .string("response")
            .key("deleted")
            .boolean(true)
            .end_object();
    } else {
        body = propagate(deleted);
    }
    co_await send_result(call, std::move(body));
}

Answer cancel_response(Call call) {
    auto found = co_await find(&call);
    co_await refuse(call, found ? Error{ErrorKind::invalid_value,
                                        "Only responses that run in the background can be "
                                        "cancelled; end any other by closing its connection."}
                                : std::move(found.error()));
}

}  // namespace runnel::server
