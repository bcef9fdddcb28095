#include "agent/conversation.hpp"

#include "json/text.hpp"
#include "json/writer.hpp"

#include <algorithm>

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

std::string assistant_json(const Turn& turn) {
    std::string raw;
    json::Writer writer(raw);
    writer.begin_object().key("role").string("assistant").key("content");
    turn.text_escaped.empty() ? writer.null() : writer.escaped(turn.text_escaped);
    writer.key("tool_calls").begin_array();
    for (const RoundFilter::Call& call : turn.calls) {
        writer.begin_object().key("id").string(call.id).key("type").string("function");
        writer.key("function").begin_object().key("name").string(call.name);
        writer.key("arguments").escaped(call.arguments_escaped).end_object().end_object();
    }
    writer.end_array().end_object();
    return raw;
}

std::string result_json(std::string_view call_id, std::string_view text_escaped) {
    std::string raw;
    json::Writer writer(raw);
    writer.begin_object().key("role").string("tool").key("tool_call_id").string(call_id);
    writer.key("content").escaped(text_escaped).end_object();
    return raw;
}

}  // namespace

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

void forbid_tools(Request* request) {
    request->tool_choice = {.kind = chat::ToolChoice::Kind::none};
    set_field(request, "tool_choice", "\"none\"");
}

void add_turn(Request* request, const Turn& turn) {
    Message said{.role = Role::assistant};
    said.raw = request->keep(assistant_json(turn));
    if (!turn.text_escaped.empty())
        said.parts.push_back(text_part(request->keep(std::string(turn.text_escaped))));
    said.reasoning_escaped = request->keep(std::string(turn.reasoning_escaped));
    for (const RoundFilter::Call& call : turn.calls)
        said.tool_calls.push_back(
            {call.id, call.name, request->keep(std::string(call.arguments_escaped)), {}});
    request->messages.push_back(std::move(said));

    for (std::size_t i = 0; i < turn.calls.size(); ++i) {
        const std::string_view escaped = keep_escaped(request, turn.outcomes[i].text);
        Message result{.role = Role::tool};
        result.tool_call_id = turn.calls[i].id;
        result.raw = request->keep(result_json(turn.calls[i].id, escaped));
        result.parts.push_back(text_part(escaped));
        request->messages.push_back(std::move(result));
    }
}

}  // namespace runnel::agent
