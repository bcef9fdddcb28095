#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runnel::cli {

// What has been said in a chat, and with whom.
struct Conversation {
    struct Turn {
        enum class Role { user, assistant } role;
        std::string text;
    };

    std::string model{};
    std::string system{};
    std::vector<Turn> turns{};

    // Takes back what was answered last, so that it can be asked again. False where nothing was.
    bool forget_answer();
};

// A line that is for the program and not for the model: /model fast.
struct ChatCommand {
    std::string name;  // without the slash
    std::string rest;
};

// None: it is for the model. A line that begins with // is, too, without the first of them.
std::optional<ChatCommand> read_chat_command(std::string_view line);
std::string message_in(std::string_view line);

}  // namespace runnel::cli
