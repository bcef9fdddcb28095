#pragma once

#include "access/key.hpp"
#include "storage/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Conversations that clients have the gateway keep: items, one after another, to which each request
// that is a turn of one adds its own and its answer's. They belong to who made them.
namespace runnel::storage {

struct Conversation {
    std::string id{};
    std::string owner{};  // a digest of who made it
    access::UtcTime created{};
    std::string metadata_json{"{}"};
};

struct ConversationItem {
    std::string id{};
    std::string json{};
};

Result<void> add_conversation(Database& database, const Conversation& conversation);
Result<std::optional<Conversation>> find_conversation(Database& database, std::string_view id,
                                                      std::string_view owner);
// These say whether it was there.
Result<bool> set_conversation_metadata(Database& database, std::string_view id,
                                       std::string_view owner, std::string_view metadata_json);
Result<bool> delete_conversation(Database& database, std::string_view id, std::string_view owner);

// Adds them at its end, all or none. More than limits::conversation_items or
// limits::conversation_bytes in all is an error.
Result<bool> add_conversation_items(Database& database, std::string_view id, std::string_view owner,
                                    std::span<const ConversationItem> items, access::UtcTime now);

// Of these, none stands for a conversation that is not there.
struct ItemsAsked {
    enum class Order { oldest_first, newest_first } order = Order::oldest_first;
    std::string after{};  // the id of an item; empty: from the beginning
    std::size_t limit = SIZE_MAX >> 1;
};
Result<std::optional<std::vector<ConversationItem>>>
read_conversation_items(Database& database, std::string_view id, std::string_view owner,
                        const ItemsAsked& asked);
Result<std::optional<ConversationItem>> find_conversation_item(Database& database,
                                                               std::string_view id,
                                                               std::string_view owner,
                                                               std::string_view item_id);
Result<bool> delete_conversation_item(Database& database, std::string_view id,
                                      std::string_view owner, std::string_view item_id);

// Deletes those that were not used since then, a few at most; how many there were.
Result<std::size_t> delete_conversations_before(Database& database, access::UtcTime time);

}  // namespace runnel::storage
