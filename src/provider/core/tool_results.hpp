#pragma once

#include "chat/request.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider {

// What stands for the result of a call that the client left unanswered: most providers refuse a
// conversation with a gap.
inline constexpr std::string_view no_result = "No result was returned.";

// What stands before the result of a call that failed, for providers that have no word for that;
// else empty. The gateway's own tools say themselves that they failed.
std::string_view failure_prefix(const chat::Message& result);

// Which message answers which call. Clients send results in any order and with other messages
// between; providers that have no ids, or none of their own, tell them apart by their order. A view
// over `messages`, which must outlive it.
class ToolResults {
public:
    explicit ToolResults(std::span<const chat::Message> messages);

    // The message that answers the call `id` of the message at `call_at`: the first one not yet
    // taken, before the same id is called again.
    std::optional<std::size_t> take(std::size_t call_at, const std::string& id);
    bool taken(std::size_t at) const { return taken_[at]; }

private:
    // Of one id, by their messages, in order: looked up rather than looked for, because a client
    // may send thousands of each.
    struct Places {
        std::vector<std::size_t> calls{};
        std::vector<std::size_t> results{};
        std::size_t open = 0;  // all results before this one are taken
    };
    std::map<std::string_view, Places> by_id_;
    std::vector<bool> taken_;
};

}  // namespace runnel::provider
