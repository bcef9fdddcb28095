#pragma once

#include "chat/request.hpp"
#include "tools/rounds/round_filter.hpp"
#include "tools/source.hpp"

#include <span>
#include <string>
#include <string_view>

// What the gateway adds to a client's conversation. All of it is kept by the request.
namespace runnel::tools {

// A system text, before all messages or after those that say how to answer already.
enum class SystemPlace { first, last };
void add_system_text(chat::Request* request, std::string_view text, SystemPlace place);

// The model's answer, and what the user has to say to it. Texts are escaped and plain.
void add_reply_to(chat::Request* request, std::string_view said_escaped, std::string_view reply);

void add_tools(chat::Request* request, std::span<const ToolSpec> tools);

// A model that had to call a tool has done so, and may answer now.
void allow_answer(chat::Request* request);

// The model may not call tools any more; what it has called stays understandable.
void forbid_tools(chat::Request* request);

// The model's turn, and then one result for each of its calls.
struct Turn {
    std::string_view text_escaped;
    std::string_view reasoning_escaped;
    std::span<const RoundFilter::Call> calls;
    std::span<const ToolOutcome> outcomes;  // of the calls, in their order
};
void add_turn(chat::Request* request, const Turn& turn);

// More calls of the model's turn at `message`, with their results right after it. Says how many
// messages that added.
std::size_t add_to_turn(chat::Request* request, std::size_t message,
                        std::span<const RoundFilter::Call> calls,
                        std::span<const std::string_view> results);

}  // namespace runnel::tools
