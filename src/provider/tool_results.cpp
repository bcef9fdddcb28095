#include "provider/tool_results.hpp"

#include <algorithm>

namespace runnel::provider {

ToolResults::ToolResults(const std::vector<chat::Message>& messages)
    : messages_(messages),
      taken_(messages.size()) {}

std::optional<std::size_t> ToolResults::take(std::size_t call_at, const std::string& id) {
    for (std::size_t i = call_at + 1; i < messages_.size(); ++i) {
        const chat::Message& later = messages_[i];
        if (later.role == chat::Role::tool && later.tool_call_id == id && !taken_[i]) {
            taken_[i] = true;
            return i;
        }
        const bool called_again =
            std::ranges::find(later.tool_calls, id, &chat::ToolCall::id) != later.tool_calls.end();
        if (called_again) break;
    }
    return std::nullopt;
}

}  // namespace runnel::provider
