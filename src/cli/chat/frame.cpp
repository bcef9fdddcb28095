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

const json::Node& member(const json::Node& object, std::string_view key) {
    static const json::Node nothing = json::Node::object();
    const json::Node* found = object.find(key);
    return found != nullptr && found->is_object() ? *found : nothing;
}

std::string finish_of(std::string_view stop_reason) {
    if (stop_reason == "max_tokens" || stop_reason == "max_output_tokens" ||
        stop_reason == "MAX_TOKENS")
        return "length";
    if (stop_reason == "refusal" || stop_reason == "content_filter" || stop_reason == "SAFETY")
        return "content_filter";
    return stop_reason.empty() ? "" : "stop";
}

void read_block(const json::Node& block, ChatFrame& frame) {
    if (text_of(block, "type") == "tool_use") frame.calls.push_back(text_of(block, "name"));
}

void read_gemini_part(const json::Node& part, ChatFrame& frame) {
    const json::Node* thought = part.find("thought");
    const bool is_thought = thought != nullptr && thought->raw == "true";
    (is_thought ? frame.reasoning : frame.text) += text_of(part, "text");
    if (const json::Node* call = part.find("functionCall"))
        frame.calls.push_back(text_of(*call, "name"));
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

ChatFrame read_messages_frame(std::string_view data) {
    ChatFrame frame;
    const auto tree = json::read_tree(data);
    if (!tree) return frame;
    const std::string type = text_of(*tree, "type");
    if (type == "message_start") {
        frame.id = text_of(member(*tree, "message"), "id");
        frame.model = text_of(member(*tree, "message"), "model");
    } else if (type == "content_block_start") {
        read_block(member(*tree, "content_block"), frame);
    } else if (type == "content_block_delta") {
        frame.text = text_of(member(*tree, "delta"), "text");
        frame.reasoning = text_of(member(*tree, "delta"), "thinking");
    } else if (type == "message_delta") {
        frame.finish = finish_of(text_of(member(*tree, "delta"), "stop_reason"));
        const json::Node& usage = member(*tree, "usage");
        frame.usage = {count_of(usage, "input_tokens") +
                           count_of(usage, "cache_creation_input_tokens") +
                           count_of(usage, "cache_read_input_tokens"),
                       count_of(usage, "output_tokens")};
    } else if (type == "error") {
        frame.error = text_of(member(*tree, "error"), "message");
    }
    return frame;
}

ChatFrame read_responses_frame(std::string_view data) {
    ChatFrame frame;
    const auto tree = json::read_tree(data);
    if (!tree) return frame;
    const std::string type = text_of(*tree, "type");
    if (type == "response.output_text.delta" || type == "response.refusal.delta")
        frame.text = text_of(*tree, "delta");
    if (type == "response.reasoning_summary_text.delta" || type == "response.reasoning_text.delta")
        frame.reasoning = text_of(*tree, "delta");
    if (type == "response.output_item.added")
        if (const json::Node& item = member(*tree, "item"); item.find("call_id") != nullptr)
            frame.calls.push_back(text_of(item, "name"));
    const json::Node& response = member(*tree, "response");
    frame.id = text_of(response, "id");
    frame.model = text_of(response, "model");
    frame.error = text_of(member(response, "error"), "message");
    frame.finish = finish_of(text_of(member(response, "incomplete_details"), "reason"));
    if (const json::Node& usage = member(response, "usage"); !usage.members.empty())
        frame.usage = {count_of(usage, "input_tokens"), count_of(usage, "output_tokens")};
    return frame;
}

ChatFrame read_gemini_frame(std::string_view data) {
    ChatFrame frame;
    const auto tree = json::read_tree(data);
    if (!tree) return frame;
    frame.id = text_of(*tree, "responseId");
    frame.model = text_of(*tree, "modelVersion");
    frame.error = text_of(member(*tree, "error"), "message");
    const json::Node* candidates = tree->find("candidates");
    if (candidates != nullptr && !candidates->elements.empty()) {
        const json::Node& candidate = candidates->elements.front();
        frame.finish = finish_of(text_of(candidate, "finishReason"));
        if (const json::Node* parts = member(candidate, "content").find("parts"))
            for (const json::Node& part : parts->elements) read_gemini_part(part, frame);
    }
    if (const json::Node& usage = member(*tree, "usageMetadata"); !usage.members.empty()) {
        const std::int64_t input = count_of(usage, "promptTokenCount");
        frame.usage = {input, count_of(usage, "totalTokenCount") - input};
    }
    return frame;
}

}  // namespace runnel::cli
