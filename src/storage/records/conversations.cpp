#include "storage/records/conversations.hpp"

#include "storage/limits.hpp"
#include "storage/sql/sql_time.hpp"

#include <fmt/format.h>

namespace runnel::storage {
namespace {

Result<void> check_size(std::string_view id, std::int64_t items, std::int64_t bytes) {
    if (items <= static_cast<std::int64_t>(limits::conversation_items) &&
        bytes <= static_cast<std::int64_t>(limits::conversation_bytes))
        return {};
    return fail(ErrorKind::request_too_large,
                fmt::format("the conversation {} is too long: it may have {} items and {} bytes; "
                            "begin a new one",
                            id, limits::conversation_items, limits::conversation_bytes));
}

// Where the item is in the conversation; none: it is not there.
Result<std::optional<std::int64_t>> place_of(Database& database, std::string_view conversation,
                                             std::string_view item_id) {
    auto rows = database.run("SELECT place FROM conversation_items WHERE conversation = $1 AND id "
                             "= $2 ORDER BY place LIMIT 1",
                             {conversation, item_id});
    if (!rows) return propagate(rows);
    if (rows->empty()) return std::nullopt;
    return rows->integer(0, 0);
}

Result<std::vector<ConversationItem>> read_from(Database& database, std::string_view id,
                                                const ItemsAsked& asked,
                                                std::optional<std::int64_t> after) {
    const auto limit = static_cast<std::int64_t>(asked.limit);
    const bool newest_first = asked.order == ItemsAsked::Order::newest_first;
    const std::int64_t begin = after.value_or(newest_first ? INT64_MAX : -1);
    auto rows =
        newest_first
            ? database.run("SELECT id, item FROM conversation_items WHERE conversation = $1 AND "
                           "place < $2 ORDER BY place DESC LIMIT $3",
                           {id, begin, limit})
            : database.run("SELECT id, item FROM conversation_items WHERE conversation = $1 AND "
                           "place > $2 ORDER BY place LIMIT $3",
                           {id, begin, limit});
    if (!rows) return propagate(rows);
    std::vector<ConversationItem> items;
    for (std::size_t i = 0; i < rows->size(); ++i)
        items.push_back({std::string(rows->text(i, 0)), std::string(rows->text(i, 1))});
    return items;
}

}  // namespace

Result<void> add_conversation(Database& database, const Conversation& conversation) {
    auto added = database.run(
        "INSERT INTO conversations (id, owner, created, used, metadata, next_place, bytes) "
        "VALUES ($1, $2, $3, $3, $4, 0, 0)",
        {conversation.id, conversation.owner, ms_of(conversation.created),
         conversation.metadata_json});
    if (!added) return propagate(added);
    return {};
}

Result<std::optional<Conversation>> find_conversation(Database& database, std::string_view id,
                                                      std::string_view owner) {
    auto rows = database.run("SELECT id, owner, created, metadata FROM conversations WHERE id = $1 "
                             "AND owner = $2",
                             {id, owner});
    if (!rows) return propagate(rows);
    if (rows->empty()) return std::nullopt;
    Conversation conversation;
    conversation.id = rows->text(0, 0);
    conversation.owner = rows->text(0, 1);
    conversation.created = time_of(rows->integer(0, 2));
    conversation.metadata_json = rows->text(0, 3);
    return conversation;
}

Result<bool> set_conversation_metadata(Database& database, std::string_view id,
                                       std::string_view owner, std::string_view metadata_json) {
    auto rows = database.run(
        "UPDATE conversations SET metadata = $3 WHERE id = $1 AND owner = $2 RETURNING id",
        {id, owner, metadata_json});
    if (!rows) return propagate(rows);
    return !rows->empty();
}

Result<bool> delete_conversation(Database& database, std::string_view id, std::string_view owner) {
    bool found = false;
    auto done = database.transaction([&]() -> Result<void> {
        auto deleted = database.run(
            "DELETE FROM conversations WHERE id = $1 AND owner = $2 RETURNING id", {id, owner});
        if (!deleted) return propagate(deleted);
        found = !deleted->empty();
        if (!found) return {};
        auto emptied = database.run("DELETE FROM conversation_items WHERE conversation = $1", {id});
        return emptied ? Result<void>() : propagate(emptied);
    });
    if (!done) return propagate(done);
    if (!found) return false;
    if (auto wiped = database.wipe_deleted(); !wiped) return propagate(wiped);
    return true;
}

Result<bool> add_conversation_items(Database& database, std::string_view id, std::string_view owner,
                                    std::span<const ConversationItem> items, access::UtcTime now) {
    std::int64_t bytes = 0;
    for (const ConversationItem& item : items) bytes += static_cast<std::int64_t>(item.json.size());
    const auto count = static_cast<std::int64_t>(items.size());
    bool found = false;
    auto done = database.transaction([&]() -> Result<void> {
        // Written before it is read: of two turns at once, one comes after the other.
        auto rows = database.run(
            "UPDATE conversations SET used = $3, next_place = next_place + $4, bytes = bytes + $5 "
            "WHERE id = $1 AND owner = $2 RETURNING next_place, bytes",
            {id, owner, ms_of(now), count, bytes});
        if (!rows) return propagate(rows);
        if (rows->empty()) return {};
        found = true;
        const std::int64_t end = rows->integer(0, 0);
        if (auto fits = check_size(id, end, rows->integer(0, 1)); !fits) return fits;
        std::vector<Parameter> values;
        std::int64_t place = end - count;
        for (const ConversationItem& item : items)
            values.insert(values.end(), {id, place++, item.id, item.json});
        if (values.empty()) return {};
        auto added = database.run_each("INSERT INTO conversation_items (conversation, place, id, "
                                       "item) VALUES ($1, $2, $3, $4)",
                                       4, values);
        return added ? Result<void>() : propagate(added);
    });
    if (!done) return propagate(done);
    return found;
}

Result<std::optional<std::vector<ConversationItem>>>
read_conversation_items(Database& database, std::string_view id, std::string_view owner,
                        const ItemsAsked& asked) {
    auto found = find_conversation(database, id, owner);
    if (!found) return propagate(found);
    if (!*found) return std::nullopt;
    std::optional<std::int64_t> after;
    if (!asked.after.empty()) {
        auto place = place_of(database, id, asked.after);
        if (!place) return propagate(place);
        if (!*place)
            return fail(ErrorKind::invalid_value,
                        "after is not the id of an item of this conversation");
        after = *place;
    }
    auto items = read_from(database, id, asked, after);
    if (!items) return propagate(items);
    return std::move(*items);
}

Result<std::optional<ConversationItem>> find_conversation_item(Database& database,
                                                               std::string_view id,
                                                               std::string_view owner,
                                                               std::string_view item_id) {
    auto rows = database.run("SELECT i.id, i.item FROM conversation_items i, conversations c WHERE "
                             "c.id = $1 AND c.owner = $2 AND i.conversation = $1 AND i.id = $3 "
                             "ORDER BY i.place LIMIT 1",
                             {id, owner, item_id});
    if (!rows) return propagate(rows);
    if (rows->empty()) return std::nullopt;
    return ConversationItem{std::string(rows->text(0, 0)), std::string(rows->text(0, 1))};
}

Result<bool> delete_conversation_item(Database& database, std::string_view id,
                                      std::string_view owner, std::string_view item_id) {
    auto item = find_conversation_item(database, id, owner, item_id);
    if (!item) return propagate(item);
    if (!*item) return false;
    auto deleted = database.run("DELETE FROM conversation_items WHERE conversation = $1 AND id = "
                                "$2 RETURNING place",
                                {id, item_id});
    if (!deleted) return propagate(deleted);
    if (deleted->empty()) return false;
    if (auto wiped = database.wipe_deleted(); !wiped) return propagate(wiped);
    return true;
}

Result<std::size_t> delete_conversations_before(Database& database, access::UtcTime time) {
    std::size_t count = 0;
    auto done = database.transaction([&]() -> Result<void> {
        auto deleted =
            database.run("DELETE FROM conversations WHERE id IN (SELECT id FROM conversations "
                         "WHERE used < $1 ORDER BY used LIMIT $2) RETURNING id",
                         {ms_of(time), std::int64_t{limits::forgotten_conversations}});
        if (!deleted) return propagate(deleted);
        count = deleted->size();
        for (std::size_t i = 0; i < count; ++i) {
            auto emptied = database.run("DELETE FROM conversation_items WHERE conversation = $1",
                                        {deleted->text(i, 0)});
            if (!emptied) return propagate(emptied);
        }
        return {};
    });
    if (!done) return propagate(done);
    return count;
}

}  // namespace runnel::storage
