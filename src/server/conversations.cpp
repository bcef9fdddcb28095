#include "storage/records/conversations.hpp"

#include "access/ownership.hpp"
#include "api/responses/stored_items.hpp"
#include "base/limits.hpp"
#include "exchange/utc_now.hpp"
#include "json/place.hpp"
#include "json/tree.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/log_query.hpp"
#include "server/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <span>

// Conversations that are kept, as their callers make them, look them up and take them away.
namespace runnel::server {

using boost::asio::awaitable;
using json::Node;
using storage::Conversation;
using storage::ConversationItem;
using storage::Database;
using Items = std::vector<ConversationItem>;

namespace {

constexpr std::size_t items_at_once = 20;  // as OpenAI has it
constexpr std::array<std::string_view, 5> page_names{"limit", "order", "after", "include",
                                                     "include[]"};

Error conversation_not_found(std::string_view id) {
    return {ErrorKind::not_found,
            fmt::format("Conversation with id {} not found: it was never made, was deleted or is "
                        "another caller's.",
                        json::in_quotes(id))};
}

Error item_not_found(std::string_view id, std::string_view conversation) {
    return {ErrorKind::not_found, fmt::format("Item with id {} not found in conversation {}.",
                                              json::in_quotes(id), json::in_quotes(conversation))};
}

bool keeps_conversations(const Call& call) { return call.gateway().access.responses.stores; }

Error keeps_none() {
    return {ErrorKind::unsupported_parameter,
            "conversations are not kept here: the gateway's config has responses: {store: off}"};
}

std::string node_text(const Node& node) {
    std::string out;
    json::append_tree(out, node);
    return out;
}

std::string conversation_json(const Conversation& conversation) {
    std::string body;
    const auto created =
        std::chrono::floor<std::chrono::seconds>(conversation.created).time_since_epoch().count();
    json::Writer(body)
        .begin_object()
        .key("id")
        .string(conversation.id)
        .key("object")
        .string("conversation")
        .key("created_at")
        .number(created)
        .key("metadata")
        .raw(conversation.metadata_json)
        .end_object();
    return body;
}

std::string deleted_json(std::string_view id) {
    std::string body;
    json::Writer(body)
        .begin_object()
        .key("id")
        .string(id)
        .key("object")
        .string("conversation.deleted")
        .key("deleted")
        .boolean(true)
        .end_object();
    return body;
}

std::string list_json(std::span<const ConversationItem> items, bool has_more) {
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const ConversationItem& item : items) out.raw(item.json);
    out.end_array().key("first_id");
    items.empty() ? out.null() : out.string(items.front().id);
    out.key("last_id");
    items.empty() ? out.null() : out.string(items.back().id);
    out.key("has_more").boolean(has_more).end_object();
    return body;
}

// The request's body; one that is empty says nothing.
Result<Node> read_body(const Call& call) {
    const std::string& body = call.request().body;
    if (body.empty()) return Node::object();
    auto tree = json::read_tree(body);
    if (tree && tree->is_object()) return std::move(*tree);
    return fail(ErrorKind::invalid_json, "the body must be a JSON object");
}

Result<std::string> metadata_of(const Node& body) {
    const Node* metadata = body.find("metadata");
    if (metadata == nullptr || metadata->raw == "null") return std::string("{}");
    const bool is_plain = metadata->is_object() &&
                          std::ranges::all_of(metadata->members, [](const Node::Member& member) {
                              return member.second.is_string();
                          });
    if (!is_plain)
        return fail_at(ErrorKind::invalid_value, "metadata",
                       "metadata must be an object of strings");
    std::string text = node_text(*metadata);
    if (text.size() > limits::logged_metadata_bytes)
        return fail_at(ErrorKind::invalid_value, "metadata",
                       fmt::format("metadata may have {} bytes", limits::logged_metadata_bytes));
    return text;
}

Result<Items> items_of(const Node& body, const Call& call) {
    const Node* items = body.find("items");
    if (items == nullptr || items->raw == "null") return Items{};
    if (!items->is_array())
        return fail_at(ErrorKind::invalid_value, "items", "items must be an array");
    if (items->elements.size() > items_at_once)
        return fail_at(
            ErrorKind::invalid_value, "items",
            fmt::format("items has more than {} items; add the rest later", items_at_once));
    exchange::Worker* worker = call.resources->worker;
    const std::string text = node_text(*items);
    if (auto valid = api::responses::check_items(text, &worker->parser); !valid)
        return propagate(valid);
    const std::string id_begin = worker->ids.next("item_") + "_";
    Items kept;
    for (const Node& item : api::responses::plain_items(text, id_begin))
        kept.push_back({api::responses::id_of(item), node_text(item)});
    return kept;
}

awaitable<Result<std::string>> make_conversation(const Call* call) {
    if (!keeps_conversations(*call)) co_return fail(keeps_none());
    auto body = read_body(*call);
    if (!body) co_return propagate(body);
    auto metadata = metadata_of(*body);
    if (!metadata) co_return propagate(metadata);
    auto items = items_of(*body, *call);
    if (!items) co_return propagate(items);
    const Conversation conversation{.id = call->resources->worker->ids.next("conv_"),
                                    .owner = access::owner_digest(call->caller),
                                    .created = exchange::utc_now(),
                                    .metadata_json = std::move(*metadata)};
    auto added = co_await ask_store<bool>(
        call->resources->shared->queries,
        [conversation, items = std::move(*items)](Database& database) -> Result<bool> {
            if (auto made = storage::add_conversation(database, conversation); !made)
                return propagate(made);
            return storage::add_conversation_items(database, conversation.id, conversation.owner,
                                                   items, conversation.created);
        });
    if (!added) co_return propagate(added);
    co_return conversation_json(conversation);
}

awaitable<Result<std::string>> look_up_conversation(const Call* call, std::string id) {
    auto found = co_await ask_store<std::optional<Conversation>>(
        call->resources->shared->queries,
        [id, owner = access::owner_digest(call->caller)](Database& database) {
            return storage::find_conversation(database, id, owner);
        });
    if (!found) co_return propagate(found);
    if (!*found) co_return fail(conversation_not_found(id));
    co_return conversation_json(**found);
}

awaitable<Result<std::string>> change_conversation(const Call* call) {
    const std::string id = call->path_variable();
    auto body = read_body(*call);
    if (!body) co_return propagate(body);
    auto metadata = metadata_of(*body);
    if (!metadata) co_return propagate(metadata);
    auto changed = co_await ask_store<bool>(
        call->resources->shared->queries, [id, owner = access::owner_digest(call->caller),
                                           metadata = std::move(*metadata)](Database& database) {
            return storage::set_conversation_metadata(database, id, owner, metadata);
        });
    if (!changed) co_return propagate(changed);
    if (!*changed) co_return fail(conversation_not_found(id));
    co_return co_await look_up_conversation(call, id);
}

awaitable<Result<std::string>> remove_conversation(const Call* call) {
    const std::string id = call->path_variable();
    auto deleted = co_await ask_store<bool>(
        call->resources->shared->queries,
        [id, owner = access::owner_digest(call->caller)](Database& database) {
            return storage::delete_conversation(database, id, owner);
        });
    if (!deleted) co_return propagate(deleted);
    if (!*deleted) co_return fail(conversation_not_found(id));
    co_return deleted_json(id);
}

Result<storage::ItemsAsked> read_page(std::string_view query) {
    auto asked = Query::read(query, page_names);
    if (!asked) return propagate(asked);
    auto limit = asked->number("limit", 20, 1, 100);
    if (!limit) return propagate(limit);
    const std::string_view order = asked->has("order") ? asked->text("order") : "desc";
    if (order != "asc" && order != "desc")
        return fail(ErrorKind::invalid_value, "order must be asc or desc");
    using Order = storage::ItemsAsked::Order;
    return storage::ItemsAsked{order == "asc" ? Order::oldest_first : Order::newest_first,
                               std::string(asked->text("after")), static_cast<std::size_t>(*limit)};
}

awaitable<Result<std::string>> conversation_page(const Call* call) {
    const std::string id = call->path_variable();
    auto asked = read_page(call->request().query());
    if (!asked) co_return propagate(asked);
    const std::size_t limit = asked->limit++;  // one more tells that there are more
    auto items = co_await ask_store<std::optional<Items>>(
        call->resources->shared->queries,
        [id, owner = access::owner_digest(call->caller), asked = *asked](Database& database) {
            return storage::read_conversation_items(database, id, owner, asked);
        });
    if (!items) co_return propagate(items);
    if (!*items) co_return fail(conversation_not_found(id));
    const std::span all(**items);
    co_return list_json(all.first(std::min(limit, all.size())), all.size() > limit);
}

awaitable<Result<std::string>> add_items(const Call* call) {
    const std::string id = call->path_variable();
    auto body = read_body(*call);
    if (!body) co_return propagate(body);
    auto items = items_of(*body, *call);
    if (!items) co_return propagate(items);
    if (items->empty())
        co_return fail_at(ErrorKind::missing_required_field, "items",
                          "the request needs items: an array of one or more");
    auto added = co_await ask_store<bool>(
        call->resources->shared->queries,
        [id, owner = access::owner_digest(call->caller), items = *items](Database& database) {
            return storage::add_conversation_items(database, id, owner, items, exchange::utc_now());
        });
    if (!added) co_return propagate(added);
    if (!*added) co_return fail(conversation_not_found(id));
    co_return list_json(*items, false);
}

awaitable<Result<std::string>> look_up_item(const Call* call) {
    const auto [id, item_id] = call->path_variables();
    auto item = co_await ask_store<std::optional<ConversationItem>>(
        call->resources->shared->queries,
        [id, item_id, owner = access::owner_digest(call->caller)](Database& database) {
            return storage::find_conversation_item(database, id, owner, item_id);
        });
    if (!item) co_return propagate(item);
    if (!*item) co_return fail(item_not_found(item_id, id));
    co_return std::move((*item)->json);
}

// Answers the conversation without it.
awaitable<Result<std::string>> remove_item(const Call* call) {
    const auto [id, item_id] = call->path_variables();
    auto deleted = co_await ask_store<bool>(
        call->resources->shared->queries,
        [id, item_id, owner = access::owner_digest(call->caller)](Database& database) {
            return storage::delete_conversation_item(database, id, owner, item_id);
        });
    if (!deleted) co_return propagate(deleted);
    if (!*deleted) co_return fail(item_not_found(item_id, id));
    co_return co_await look_up_conversation(call, id);
}

Answer tell_conversation(Call call, awaitable<Result<std::string>> (*what)(const Call* call)) {
    auto body = co_await what(&call);
    co_await send_result(call, std::move(body));
}

awaitable<Result<std::string>> look_up_this_conversation(const Call* call) {
    return look_up_conversation(call, call->path_variable());
}

}  // namespace

Answer create_conversation(Call call) {
    return tell_conversation(std::move(call), make_conversation);
}
Answer show_conversation(Call call) {
    return tell_conversation(std::move(call), look_up_this_conversation);
}
Answer update_conversation(Call call) {
    return tell_conversation(std::move(call), change_conversation);
}
Answer delete_conversation(Call call) {
    return tell_conversation(std::move(call), remove_conversation);
}
Answer list_conversation_items(Call call) {
    return tell_conversation(std::move(call), conversation_page);
}
Answer create_conversation_items(Call call) {
    return tell_conversation(std::move(call), add_items);
}
Answer show_conversation_item(Call call) {
    return tell_conversation(std::move(call), look_up_item);
}
Answer delete_conversation_item(Call call) {
    return tell_conversation(std::move(call), remove_item);
}

}  // namespace runnel::server
