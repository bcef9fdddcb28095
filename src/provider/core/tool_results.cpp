#include "provider/core/tool_results.hpp"

#include <algorithm>

namespace runnel::provider {

std::string_view failure_prefix(const chat::Message& result) {
    const bool is_told = result.failed == chat::Wish::yes && result.number != 0;
    return is_told ? "Error: " : "";
}

ToolResults::ToolResults(std::span<const chat::Message> messages) : taken_(messages.size()) {
    for (std::size_t at = 0; at < messages.size(); ++at) {
        messages[at].for_each_call([&](const chat::ToolCall& call) {
            auto& calls = by_id_[call.id].calls;
            if (calls.empty() || calls.back() != at) calls.push_back(at);
        });
        if (messages[at].role == chat::Role::tool)
            by_id_[messages[at].tool_call_id].results.push_back(at);
    }
}

std::optional<std::size_t> ToolResults::take(std::size_t call_at, const std::string& id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return std::nullopt;
    auto& [calls, results, open] = found->second;
    while (open < results.size() && taken_[results[open]]) ++open;
    const auto first = std::upper_bound(results.begin() + static_cast<std::ptrdiff_t>(open),
                                        results.end(), call_at);
    const auto result =
        std::find_if(first, results.end(), [&](std::size_t at) { return !taken_[at]; });
    if (result == results.end()) return std::nullopt;
    const auto called_again = std::upper_bound(calls.begin(), calls.end(), call_at);
    if (called_again != calls.end() && *called_again < *result) return std::nullopt;
    taken_[*result] = true;
    return *result;
}

}  // namespace runnel::provider
