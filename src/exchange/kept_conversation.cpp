#include "exchange/kept_conversation.hpp"

#include "api/responses/stored_items.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "json/place.hpp"
#include "storage/ask.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace runnel::exchange {

using boost::asio::awaitable;
using storage::Database;
using storage::StoredResponse;

namespace {

void log_not_stored(std::string_view completion_id, std::string_view why) {
    log::Line(log::Level::warning, "response not stored")
        .add("completion_id", completion_id)
        .add("error", why)
        .write();
}

constexpr std::size_t references_max = 1'000;  // each may be in a response of its own

Error previous_not_found(std::string_view id) {
    return {ErrorKind::previous_response_not_found,
            fmt::format("Previous response with id {} not found: it, or one that it goes on from, "
                        "was not stored, was deleted or is another caller's. Send the whole "
                        "conversation in input.",
                        json::in_quotes(id)),
            "previous_response_id"};
}

Result<EarlierTurns> as_earlier(std::vector<StoredResponse> turns, std::string_view previous) {
    if (turns.empty()) return fail(previous_not_found(previous));
    if (turns.back().running_until)
        return fail_at(ErrorKind::invalid_value, "previous_response_id",
                       fmt::format("The response {} is still in progress; wait until it has ended.",
                                   json::in_quotes(previous)));
    EarlierTurns earlier;
    for (StoredResponse& turn : turns)
        earlier.emplace_back(std::move(turn.input_json), std::move(turn.response_json));
    return earlier;
}

std::vector<storage::ConversationItem> items_of(const StoredResponse& response) {
    auto items = api::responses::plain_items(response.input_json,
                                             api::responses::input_id_begin(response.id));
    for (json::Node& item : api::responses::output_items(response.response_json))
        items.push_back(std::move(item));
    std::vector<storage::ConversationItem> kept;
    for (const json::Node& item : items) {
        std::string text;
        json::append_tree(text, item);
        kept.push_back({api::responses::id_of(item), std::move(text)});
    }
    return kept;
}

Result<void> store_turn(Database& database, const KeptTurn& turn,
                        const std::vector<storage::ConversationItem>& items) {
    if (turn.keep == KeptTurn::Response::kept)
        if (auto added = storage::add_response(database, turn.response); !added) return added;
    if (turn.conversation.empty()) return {};
    auto added = storage::add_conversation_items(database, turn.conversation, turn.response.owner,
                                                 items, turn.response.created);
    return added ? Result<void>() : propagate(added);
}

}  // namespace

awaitable<Result<EarlierTurns>> find_turns_until(storage::StoreThread* store, std::string id,
                                                 std::string owner) {
    auto turns =
        co_await storage::ask<std::vector<StoredResponse>>(store, [id, owner](Database& database) {
            return storage::find_turns(database, id, owner, limits::request_body_bytes);
        });
    if (!turns) co_return propagate(turns);
    co_return as_earlier(std::move(*turns), id);
}

awaitable<Result<EarlierTurns>> find_conversation_turn(storage::StoreThread* store, std::string id,
                                                       std::string owner) {
    using Items = std::optional<std::vector<storage::ConversationItem>>;
    auto items = co_await storage::ask<Items>(store, [id, owner](Database& database) {
        return storage::read_conversation_items(database, id, owner, {});
    });
    if (!items) co_return propagate(items);
    if (!*items)
        co_return fail_at(ErrorKind::not_found, "conversation",
                          fmt::format("Conversation with id {} not found: it was never made, was "
                                      "deleted or is another caller's.",
                                      json::in_quotes(id)));
    std::string input = "[";
    for (const storage::ConversationItem& item : **items)
        input.append(input.size() > 1 ? "," : "").append(item.json);
    input += ']';
    EarlierTurns earlier;
    earlier.push_back({std::move(input), R"({"output":[]})"});
    co_return earlier;
}

awaitable<Result<api::Items>> find_items(storage::StoreThread* store, std::vector<std::string> ids,
                                         std::string owner) {
    if (ids.size() > references_max)
        co_return fail_at(ErrorKind::invalid_value, "input",
                          fmt::format("input refers to {} items; it may refer to {}", ids.size(),
                                      references_max));
    std::set<std::string> responses;
    for (const std::string& id : ids)
        if (auto response = api::responses::response_of_item(id); !response.empty())
            responses.insert(std::move(response));
    using Found = std::vector<StoredResponse>;
    auto found = co_await storage::ask<Found>(
        store, [responses = std::move(responses), owner](Database& database) -> Result<Found> {
            Found all;
            std::size_t bytes = 0;
            for (const std::string& id : responses) {
                auto one = storage::find_response(database, id, owner);
                if (!one) return propagate(one);
                if (!*one) continue;
                bytes += (*one)->input_json.size() + (*one)->response_json.size();
                if (bytes > limits::request_body_bytes)
                    return fail_at(ErrorKind::request_too_large, "input",
                                   "the responses whose items input refers to are too large; send "
                                   "the items themselves");
                all.push_back(std::move(**one));
            }
            return all;
        });
    if (!found) co_return propagate(found);
    api::Items items;
    for (const StoredResponse& response : *found) {
        auto all = api::responses::plain_items(response.input_json,
                                               api::responses::input_id_begin(response.id));
        for (json::Node& item : api::responses::output_items(response.response_json))
            all.push_back(std::move(item));
        for (json::Node& item : all) items.emplace(api::responses::id_of(item), std::move(item));
    }
    co_return items;
}

void keep_turn(storage::StoreThread* store, MemoryBudget* memory, KeptTurn turn) {
    std::vector<storage::ConversationItem> items;
    if (!turn.conversation.empty()) items = items_of(turn.response);
    std::size_t bytes = turn.response.input_json.size() + turn.response.response_json.size();
    for (const storage::ConversationItem& item : items) bytes += item.json.size();
    MemoryBudget::Share held(memory, MemoryBudget::Use::state);
    if (!held.resize(bytes) || memory->is_short())
        return log_not_stored(turn.response.id, "too much waits for the store already");
    store->submit([turn = std::move(turn), items = std::move(items),
                   held = std::move(held)](Result<Database*> database) {
        const auto kept =
            database ? store_turn(**database, turn, items) : Result<void>(propagate(database));
        if (!kept) log_not_stored(turn.response.id, kept.error().message);
    });
}

}  // namespace runnel::exchange
