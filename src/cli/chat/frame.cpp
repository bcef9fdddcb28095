#include "cli/chat/frame.hpp"

#include "json/tree.hpp"
#include "json/values.hpp"

namespace runnel::cli {
namespace {

std::string text_of(const json::Node& object, std::string_view key) {
    const json::Node* value = object.find(key);
    return value == nullptr ? std::string() : value->text();
}

std::int64_t count_of(const json::Node& object, std::string_view key) {
    const json::Node* value = object.find(key);
    return value == nullptr ? 0 : static_cast<std::int64_t>(json::number_of(*value));
}

ChatFrame::Tool read_tool(const json::Node& tool) {
    std::string outcome = text_of(tool, "error");
    if (const json::Node* result = tool.find("result")) {
        if (result->is_string())
            outcome = result->text();
        else
            json::append_tree(outcome, *result);
    }
    return {text_of(tool, "name"), text_of(tool, "contents"), text_of(tool, "state"),
            std::move(outcome)};
}

void read_choice(const json::Node& choice, ChatFrame& frame) {
    frame.finish = text_of(choice, "finish_reason");
    const json::Node* delta = choice.find("delta");
    if (delta == nullptr) return;
    frame.text = text_of(*delta, "content") + text_of(*delta, "refusal");
    frame.reasoning = text_of(*delta, "reasoning");
    if (const json::Node* calls = delta->find("tool_calls"))
        for (const json::Node& call : calls->elements)
            if (const json::Node* function = call.find("function"))
                frame.calls.push_back(text_of(*function, "name"));
}

}  // namespace

ChatFrame read_chat_frame(std::string_view data) {
    ChatFrame frame;
    const auto tree = json::read_tree(data);
    if (!tree) return frame;
    frame.id = text_of(*tree, "id");
    frame.model = text_of(*tree, "model");
    if (const json::Node* choices = tree->find("choices"); choices && !choices->elements.empty())
        read_choice(choices->elements.front(), frame);
    if (const json::Node* tool = tree->find("servertool")) frame.tool = read_tool(*tool);
    if (const json::Node* error = tree->find("error")) frame.error = text_of(*error, "message");
    if (const json::Node* usage = tree->find("usage"); usage && usage->is_object()) {
        // Cached tokens are in the total only.
        const std::int64_t output = count_of(*usage, "completion_tokens");
        frame.usage = {count_of(*usage, "total_tokens") - output, output};
    }
    return frame;
}

}  // namespace runnel::cli
