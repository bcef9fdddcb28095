#pragma once

#include "api/api.hpp"
#include "base/memory_budget.hpp"
#include "storage/records/conversations.hpp"
#include "storage/records/responses.hpp"
#include "storage/store_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <vector>

// What requests go on from, and what they leave for others to go on from, in the store. `owner` is
// a digest of the caller: nobody else's is found.
namespace runnel::exchange {

using EarlierTurns = std::vector<api::EarlierTurn>;

// The turns up to that answer.
boost::asio::awaitable<Result<EarlierTurns>> find_turns_until(storage::StoreThread* store,
                                                              std::string id, std::string owner);
// All items of a conversation, in the form of one turn.
boost::asio::awaitable<Result<EarlierTurns>>
find_conversation_turn(storage::StoreThread* store, std::string id, std::string owner);

// The items of those ids, as far as they are there.
boost::asio::awaitable<Result<api::Items>>
find_items(storage::StoreThread* store, std::vector<std::string> ids, std::string owner);

// What a turn leaves behind.
struct KeptTurn {
    storage::StoredResponse response{};
    std::string conversation{};  // that it is added to; empty: none
    enum class Response { kept, dropped } keep = Response::kept;
};
// Nobody waits for it; what is looked up after that finds it. What waits for a slow store counts in
// `memory`, and leaves room for requests.
void keep_turn(storage::StoreThread* store, MemoryBudget* memory, KeptTurn turn);

}  // namespace runnel::exchange
