#include "tools/rounds/conversation.hpp"

#include "json/text.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace runnel::tools {
namespace {

using chat::Message;
using chat::Request;
using chat::Role;

// The escaped text inside of a JSON string that is kept by the request.
std::string_view keep_escaped(Request* request, std::string_view plain) {
    std::string escaped;
    json::append_escaped(escaped, plain);
    return request->keep(std::move(escaped));
}

void add_calls(Request* request, Message* said, std::span<const RoundFilter::Call> calls) {
    for (const RoundFilter::Call& call : calls)
        said->parts.push_back({chat::ToolCall{
            .id = call.id,
            .name = call.name,
            .arguments_escaped = request->keep(call.arguments_escaped),
        }});
}

// A message whose content is one text.
Message text_message(Role role, std::string_view escaped) {
    Message message{.role = role, .form = Message::Form::string};
    message.parts.push_back({chat::Text{escaped}});
    return message;
}

Message result_message(Request* request, const std::string& call_id, std::string_view text) {
    Message result = text_message(Role::tool, keep_escaped(request, text));
    result.tool_call_id = call_id;
    return result;
}

}  // namespace

void add_system_text(Request* request, std::string_view text, SystemPlace place) {
    const auto instructs = [](const Message& message) {
        return message.role == Role::system || message.role == Role::developer;
    };
    auto& messages = request->messages;
    const auto at = place == SystemPlace::first ? messages.begin()
                                                : std::ranges::find_if_not(messages, instructs);
    messages.insert(at, text_message(Role::system, keep_escaped(request, text)));
}

void add_reply_to(Request* request, std::string_view said_escaped, std::string_view reply) {
    if (!said_escaped.empty())
        request->messages.push_back(
            text_message(Role::assistant, request->keep(std::string(said_escaped))));
    request->messages.push_back(text_message(Role::user, keep_escaped(request, reply)));
}

void add_tools(Request* request, std::span<const ToolSpec> tools) {
    for (const ToolSpec& spec : tools) {
        chat::Tool tool;
        tool.name = spec.name;
        tool.description_escaped = keep_escaped(request, spec.description);
        tool.parameters_raw = request->keep(spec.parameters_json);
        request->tools.push_back(std::move(tool));
    }
}

void allow_answer(Request* request) {
    if (request->tool_choice.kind == chat::ToolChoice::Kind::required)
        request->tool_choice = {.kind = chat::ToolChoice::Kind::automatic};
}

void forbid_tools(Request* request) {
    request->tool_choice = {.kind = chat::ToolChoice::Kind::none};
}

void add_turn(Request* request, const Turn& turn) {
    Message said{.role = Role::assistant, .form = Message::Form::string};
    if (!turn.reasoning_escaped.empty())
        said.parts.push_back(
            {chat::Reasoning{.text_escaped = request->keep(std::string(turn.reasoning_escaped))}});
    if (!turn.text_escaped.empty())
        said.parts.push_back({chat::Text{request->keep(std::string(turn.text_escaped))}});
    add_calls(request, &said, turn.calls);
    request->messages.push_back(std::move(said));
    for (std::size_t i = 0; i < turn.calls.size(); ++i)
        request->messages.push_back(
            result_message(request, turn.calls[i].id, turn.outcomes[i].text));
}

std::size_t add_to_turn(Request* request, std::size_t message,
                        std::span<const RoundFilter::Call> calls,
                        std::span<const std::string_view> results) {
    add_calls(request, &request->messages[message], calls);
    std::vector<Message> added;
    for (std::size_t i = 0; i < calls.size(); ++i)
        added.push_back(result_message(request, calls[i].id, results[i]));
    const auto after = request->messages.begin() + static_cast<std::ptrdiff_t>(message) + 1;
    request->messages.insert(after, std::make_move_iterator(added.begin()),
                             std::make_move_iterator(added.end()));
    return calls.size();
}

}  // namespace runnel::tools
