#include "cli/chat/conversation.hpp"

#include <algorithm>

namespace runnel::cli {
namespace {

constexpr std::string_view white = " \t";

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(white) + 1 - first));
}

}  // namespace

bool Conversation::forget_answer() {
    if (turns.empty()) return false;
    if (turns.back().role == Turn::Role::assistant) turns.pop_back();
    return !turns.empty();
}

std::optional<ChatCommand> read_chat_command(std::string_view line) {
    if (!line.starts_with('/') || line.starts_with("//")) return std::nullopt;
    const std::size_t end = std::min(line.find_first_of(white), line.size());
    return ChatCommand{std::string(line.substr(1, end - 1)), trimmed(line.substr(end))};
}

std::string message_in(std::string_view line) {
    if (line.starts_with("//")) line.remove_prefix(1);
    return std::string(line);
}

}  // namespace runnel::cli
