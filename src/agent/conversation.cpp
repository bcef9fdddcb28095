#include "agent/conversation.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace runnel::agent {
namespace {

using chat::Message;
using chat::Part;
using chat::Request;
using chat::Role;

std::string definition_of(const ToolSpec& tool) {
    std::string raw;
    json::Writer writer(raw);
    writer.begin_object().key("type").string("function").key("function").begin_object();
    writer.key("name").string(tool.name);
    if (!tool.description.empty()) writer.key("description").string(tool.description);
    writer.key("parameters").raw(tool.parameters_json);
    writer.end_object().end_object();
    return raw;
}

// The escaped text inside of a JSON string that is kept by the request.
std::string_view keep_escaped(Request* request, std::string_view plain) {
    std::string escaped;
    json::append_escaped(escaped, plain);
    return request->keep(std::move(escaped));
}

void set_field(Request* request, std::string_view name, std::string raw) {
    const std::string_view kept = request->keep(std::move(raw));
    const auto found = std::ranges::find(request->fields, name, &chat::Field::name);
    if (found == request->fields.end()) {
        request->fields.push_back({std::string(name), kept});
    } else {
        found->raw = kept;
    }
}

Part text_part(std::string_view escaped) {
    return {.kind = Part::Kind::text, .text_escaped = escaped};
}

// The model's turn as OpenAI writes it.
std::string assistant_json(const Message& said) {
    std::string raw;
    std::string text;
    for (const Part& part : said.parts) text += part.text_escaped;
    json::Writer writer(raw);
    writer.begin_object().key("role").string("assistant").key("content");
    text.empty() ? writer.null() : writer.escaped(text);
    writer.key("tool_calls").begin_array();
    for (const chat::ToolCall& call : said.tool_calls) {
        writer.begin_object().key("id").string(call.id).key("type").string("function");
        writer.key("function").begin_object().key("name").string(call.name);
        writer.key("arguments").escaped(call.arguments_escaped).end_object().end_object();
    }
    writer.end_array().end_object();
    return raw;
}

void add_calls(Request* request, Message* said, std::span<const RoundFilter::Call> calls) {
    for (const RoundFilter::Call& call : calls)
        said->tool_calls.push_back(
            {call.id, call.name, request->keep(std::string(call.arguments_escaped)), {}});
    said->raw = request->keep(assistant_json(*said));
}

// A message whose content is one text.
Message text_message(Request* request, Role role, std::string_view escaped) {
    std::string raw;
    json::Writer writer(raw);
    writer.begin_object().key("role").string(chat::name_of(role));
    writer.key("content").escaped(escaped).end_object();
    Message message{.role = role};
    message.raw = request->keep(std::move(raw));
    message.parts.push_back(text_part(escaped));
    return message;
}

std::string result_json(std::string_view call_id, std::string_view text_escaped) {
    std::string raw;
    json::Writer writer(raw);
    writer.begin_object().key("role").string("tool").key("tool_call_id").string(call_id);
    writer.key("content").escaped(text_escaped).end_object();
    return raw;
}

Message result_message(Request* request, const std::string& call_id, std::string_view text) {
    const std::string_view escaped = keep_escaped(request, text);
    Message result{.role = Role::tool};
    result.tool_call_id = call_id;
    result.raw = request->keep(result_json(call_id, escaped));
    result.parts.push_back(text_part(escaped));
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
    messages.insert(at, text_message(request, Role::system, keep_escaped(request, text)));
}

void add_reply_to(Request* request, std::string_view said_escaped, std::string_view reply) {
    if (!said_escaped.empty())
        request->messages.push_back(
            text_message(request, Role::assistant, request->keep(std::string(said_escaped))));
    request->messages.push_back(text_message(request, Role::user, keep_escaped(request, reply)));
}

void add_tools(Request* request, std::span<const ToolSpec> tools) {
    for (const ToolSpec& spec : tools) {
        chat::Tool tool;
        tool.name = spec.name;
        tool.description_escaped = keep_escaped(request, spec.description);
        tool.parameters_raw = request->keep(spec.parameters_json);
        tool.raw = request->keep(definition_of(spec));
        request->tools.push_back(std::move(tool));
    }
    std::string all;
    json::Writer writer(all);
    writer.begin_array();
    for (const chat::Tool& tool : request->tools) writer.raw(tool.raw);
    writer.end_array();
    set_field(request, "tools", std::move(all));
}

void allow_answer(Request* request) {
    if (request->tool_choice.kind != chat::ToolChoice::Kind::required) return;
    request->tool_choice = {.kind = chat::ToolChoice::Kind::automatic};
    set_field(request, "tool_choice", "\"auto\"");
}

void forbid_tools(Request* request) {
    request->tool_choice = {.kind = chat::ToolChoice::Kind::none};
    set_field(request, "tool_choice", "\"none\"");
}

void add_turn(Request* request, const Turn& turn) {
    Message said{.role = Role::assistant};
    if (!turn.text_escaped.empty())
        said.parts.push_back(text_part(request->keep(std::string(turn.text_escaped))));
    said.reasoning_escaped = request->keep(std::string(turn.reasoning_escaped));
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

}  // namespace runnel::agent
