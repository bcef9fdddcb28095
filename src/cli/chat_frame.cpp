#include "cli/chat_frame.hpp"

#include "json/tree.hpp"
#include "json/values.hpp"

namespace runnel::cli {
namespace {

using json::Node;

std::string text_of(const Node& object, std::string_view key) {
    const Node* value = object.find(key);
    return value == nullptr ? std::string() : value->text();
}

std::int64_t count_of(const Node& object, std::string_view key) {
    const Node* value = object.find(key);
    return value == nullptr ? 0 : static_cast<std::int64_t>(json::number_of(*value));
}

ChatFrame::Tool read_tool(const Node& tool) {
    std::string outcome = text_of(tool, "error");
    if (const Node* result = tool.find("result")) {
        if (result->is_string())
            outcome = result->text();
        else
            json::append_tree(outcome, *result);
    }
    return {text_of(tool, "name"), text_of(tool, "contents"), text_of(tool, "state"),
            std::move(outcome)};
}

void read_choice(const Node& choice, ChatFrame& frame) {
    frame.finish = text_of(choice, "finish_reason");
    const Node* delta = choice.find("delta");
    if (delta == nullptr) return;
    frame.text = text_of(*delta, "content") + text_of(*delta, "refusal");
    frame.reasoning = text_of(*delta, "reasoning");
    if (const Node* calls = delta->find("tool_calls"))
        for (const Node& call : calls->elements)
            if (const Node* function = call.find("function"))
                frame.calls.push_back(text_of(*function, "name"));
}

}  // namespace

ChatFrame read_chat_frame(std::string_view data) {
    ChatFrame frame;
    const auto tree = json::read_tree(data);
    if (!tree) return frame;
    frame.id = text_of(*tree, "id");
    frame.model = text_of(*tree, "model");
    if (const Node* choices = tree->find("choices"); choices && !choices->elements.empty())
        read_choice(choices->elements.front(), frame);
    if (const Node* tool = tree->find("servertool")) frame.tool = read_tool(*tool);
    if (const Node* error = tree->find("error")) frame.error = text_of(*error, "message");
    if (const Node* usage = tree->find("usage"); usage && usage->is_object()) {
        // Cached tokens are in the total only.
        const std::int64_t output = count_of(*usage, "completion_tokens");
        frame.usage = {count_of(*usage, "total_tokens") - output, output};
    }
    return frame;
}

}  // namespace runnel::cli
