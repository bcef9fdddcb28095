#pragma once

#include "cli/chat/frame.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace runnel::cli {

// How an answer is shown: its text alone, as it is; or all of it, for a terminal, with styles or
// without.
enum class ChatLook { answer_only, plain, styled };

enum class ChatStyle { dim, red, bold };
// The text in this style, where the look has any.
std::string styled(ChatLook look, ChatStyle style, std::string_view text);

// One answer as it is drawn: the frames of its stream in, text for the terminal out. No IO inside.
class ChatScreen {
public:
    // `out` must outlive it; whoever owns it takes out what is there.
    ChatScreen(ChatLook look, std::string* out) : look_(look), out_(*out) {}

    void show(const ChatFrame& frame);
    enum class End { whole, stopped };
    // The answer is over. Ends its line.
    void end(End end);

    const std::string& answer() const { return answer_; }  // the text so far, as it came
    const std::string& id() const { return id_; }
    const std::string& error() const { return error_; }
    const std::optional<ChatFrame::Usage>& usage() const { return usage_; }

private:
    enum class Block { none, reasoning, text, aside };

    void begin(Block block);
    void leave_block();
    void begin_line();
    void write(std::string_view text);
    void show_text(std::string_view text);
    void show_tool(const ChatFrame::Tool& tool);
    void aside(std::string_view text, ChatStyle style);

    ChatLook look_;
    std::string& out_;
    Block block_ = Block::none;
    bool line_begun_ = false;
    bool tool_ran_ = false;  // since the last text
    std::string answer_, id_, error_, finish_;
    std::optional<ChatFrame::Usage> usage_;
};

// What an answer took, for the line below it.
std::string summary_of(const std::optional<ChatFrame::Usage>& usage, std::optional<double> usd,
                       std::chrono::milliseconds time);

}  // namespace runnel::cli
