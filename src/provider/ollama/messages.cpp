#include "provider/ollama/messages.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"
#include "provider/core/inline_data.hpp"
#include "provider/core/tool_arguments.hpp"
#include "provider/core/tool_results.hpp"

#include <fmt/format.h>

namespace runnel::provider::ollama {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

class Conversation {
public:
    Conversation(std::string& body, const chat::Request& request)
        : writer_(body),
          api_(request.api),
          messages_(request.messages),
          results_(messages_) {}

    Result<void> write(std::string_view instruction) {
        writer_.key("messages").begin_array();
        std::size_t at = 0;
        if (!instruction.empty()) at = write_instruction(instruction);
        for (; at < messages_.size(); ++at) {
            if (messages_[at].role == Role::tool && results_.taken(at)) continue;
            if (auto written = write_message(at, {}); !written) return written;
        }
        writer_.end_array();
        return {};
    }

private:
    // Puts the instruction behind the first system text, because most templates know of one only;
    // returns how many messages that took.
    std::size_t write_instruction(std::string_view instruction) {
        std::string text;
        const bool has_system = !messages_.empty() && role_of(messages_[0]) == "system";
        if (has_system) text = text_of(messages_[0]) + "\\n\\n";
        json::append_escaped(text, instruction);
        writer_.begin_object().key("role").string("system");
        writer_.key("content").escaped(text).end_object();
        return has_system ? 1 : 0;
    }

    Result<void> write_message(std::size_t at, std::string_view tool_name) {
        const Message& message = messages_[at];
        writer_.begin_object().key("role").string(role_of(message));
        if (!tool_name.empty()) writer_.key("tool_name").string(tool_name);
        writer_.key("content").escaped(text_of(message));
        if (const std::string thinking = thinking_of(message); !thinking.empty())
            writer_.key("thinking").escaped(thinking);
        if (auto written = write_images(at); !written) return written;
        if (message.has_calls()) write_calls(message);
        writer_.end_object();
        for (const Part& part : message.parts) {
            const auto* call = part.as<chat::ToolCall>();
            const auto result = call == nullptr ? std::nullopt : results_.take(at, call->id);
            if (!result) continue;
            if (auto written = write_message(*result, call->name); !written) return written;
        }
        return {};
    }

    static std::string_view role_of(const Message& message) {
        return message.role == Role::developer ? "system" : chat::name_of(message.role);
    }

    static std::string text_of(const Message& message) {
        std::string text(failure_prefix(message));
        for (const Part& part : message.parts) append_words(text, part);
        return text;
    }

    static std::string thinking_of(const Message& message) {
        std::string thinking;
        for (const Part& part : message.parts)
            if (const auto* reasoning = part.as<chat::Reasoning>())
                thinking += reasoning->text_escaped;
        return thinking;
    }

    Result<void> write_images(std::size_t at) {
        const std::vector<Part>& parts = messages_[at].parts;
        bool any = false;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Part& part = parts[i];
            if (is_words(part) || is_said_elsewhere(part)) continue;
            const std::string param = fmt::format("messages[{}].content[{}]", at, i);
            const auto* image = part.as<chat::Image>();
            if (image == nullptr)
                return fail_at(
                    ErrorKind::unsupported_parameter, param,
                    fmt::format("{} is neither text nor an image: Ollama takes nothing else",
                                param));
            const auto data = inline_data(image->source);
            if (!data)
                return fail_at(
                    ErrorKind::unsupported_parameter, param,
                    fmt::format("{} must be a data: URL in base64: Ollama does not fetch images",
                                param));
            if (!any) writer_.key("images").begin_array();
            any = true;
            writer_.escaped(data->base64_escaped);
        }
        if (any) writer_.end_array();
        return {};
    }

    // What another API alone knows has been warned of.
    bool is_said_elsewhere(const Part& part) const {
        return part.is<chat::Reasoning>() || part.is<chat::ToolCall>() ||
               (part.is<chat::Other>() && api_ != chat::Api::chat_completions);
    }

    void write_calls(const Message& message) {
        writer_.key("tool_calls").begin_array();
        message.for_each_call([&](const chat::ToolCall& call) {
            writer_.begin_object().key("function").begin_object();
            writer_.key("name").string(call.name);
            writer_.key("arguments").raw(arguments_object(call));
            writer_.end_object().end_object();
        });
        writer_.end_array();
    }

    json::Writer writer_;
    chat::Api api_;
    const std::vector<Message>& messages_;
    ToolResults results_;
};

}  // namespace

Result<void> write_messages(std::string& body, const chat::Request& request,
                            std::string_view instruction) {
    return Conversation(body, request).write(instruction);
}

}  // namespace runnel::provider::ollama
