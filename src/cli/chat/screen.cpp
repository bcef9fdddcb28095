#include "cli/chat/screen.hpp"

#include "base/utf8.hpp"
#include "cli/chat/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

constexpr std::size_t aside_bytes_max = 200;
constexpr std::string_view plain_again = "\033[0m";

std::string_view code_of(ChatStyle style) {
    switch (style) {
        case ChatStyle::dim: return "\033[2m";
        case ChatStyle::red: return "\033[31m";
        case ChatStyle::bold: return "\033[1m";
    }
    return "";
}

// The beginning of a text, in one line.
std::string in_one_line(std::string_view text) {
    const std::string_view part = utf8_prefix(text, aside_bytes_max);
    std::string line(part);
    std::ranges::replace(line, '\n', ' ');
    if (part.size() < text.size()) line += "…";
    return line;
}

}  // namespace

std::string styled(ChatLook look, ChatStyle style, std::string_view text) {
    if (look != ChatLook::styled) return std::string(text);
    return fmt::format("{}{}{}", code_of(style), text, plain_again);
}

void ChatScreen::show(const ChatFrame& frame) {
    if (!frame.id.empty()) id_ = frame.id;
    if (!frame.reasoning.empty() && look_ != ChatLook::answer_only) {
        begin(Block::reasoning);
        write(frame.reasoning);
    }
    if (!frame.text.empty()) show_text(frame.text);
    if (frame.tool) show_tool(*frame.tool);
    for (const std::string& name : frame.calls)
        aside(fmt::format("the model calls {}, which nobody runs here", name), ChatStyle::dim);
    if (frame.usage) usage_ = frame.usage;
    if (!frame.finish.empty()) finish_ = frame.finish;
    if (frame.error.empty()) return;
    error_ = frame.error;
    aside("error: " + error_, ChatStyle::red);
}

void ChatScreen::show_text(std::string_view text) {
    // What was said before a tool and what was said after it are two things.
    const bool parted = tool_ran_ && !answer_.empty() && !answer_.ends_with('\n');
    if (parted) answer_ += '\n';
    if (parted && look_ == ChatLook::answer_only) begin_line();
    tool_ran_ = false;
    answer_ += text;
    begin(Block::text);
    write(text);
}

void ChatScreen::end(End end) {
    if (end == End::stopped)
        aside("(stopped)", ChatStyle::dim);
    else if (finish_ == "length")
        aside("(cut off: the answer is too long)", ChatStyle::dim);
    else if (finish_ == "content_filter")
        aside("(cut off by a filter)", ChatStyle::dim);
    leave_block();
    begin_line();
}

// Each step of the answer begins a line of its own.
void ChatScreen::begin(Block block) {
    if (block == block_ && block != Block::aside) return;
    leave_block();
    if (look_ != ChatLook::answer_only) begin_line();
    block_ = block;
    if (block != Block::reasoning) return;
    out_ += look_ == ChatLook::styled ? code_of(ChatStyle::dim) : std::string_view("(thinking) ");
}

void ChatScreen::leave_block() {
    if (block_ == Block::reasoning && look_ == ChatLook::styled) out_ += plain_again;
    block_ = Block::none;
}

void ChatScreen::begin_line() {
    if (line_begun_) out_ += '\n';
    line_begun_ = false;
}

void ChatScreen::write(std::string_view text) {
    if (look_ == ChatLook::answer_only)
        out_ += text;
    else
        out_ += for_terminal(text);
    line_begun_ = !text.ends_with('\n');
}

void ChatScreen::show_tool(const ChatFrame::Tool& tool) {
    tool_ran_ = true;
    if (tool.state == "Running")
        aside(fmt::format("» {} {}", tool.name, tool.arguments), ChatStyle::dim);
    if (tool.state == "Completed")
        aside(fmt::format("« {} {}", tool.name, tool.outcome), ChatStyle::dim);
    if (tool.state == "Failed")
        aside(fmt::format("« {} failed: {}", tool.name, tool.outcome), ChatStyle::red);
}

void ChatScreen::aside(std::string_view text, ChatStyle style) {
    if (look_ == ChatLook::answer_only) return;
    begin(Block::aside);
    out_ += styled(look_, style, for_terminal(in_one_line(text)));
    line_begun_ = true;
}

std::string summary_of(const std::optional<ChatFrame::Usage>& usage, std::optional<double> usd,
                       std::chrono::milliseconds time) {
    std::string line;
    if (usage) line += fmt::format("{} tokens in, {} out · ", usage->input, usage->output);
    if (usd)
        line += *usd < 0.01 ? fmt::format("${:.6f} · ", *usd) : fmt::format("${:.4f} · ", *usd);
    return line + fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

}  // namespace runnel::cli
