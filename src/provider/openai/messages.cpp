#include "provider/openai/messages.hpp"

#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "json/text.hpp"
#include "provider/core/stable_hash.hpp"
#include "provider/core/tool_arguments.hpp"
#include "provider/core/tool_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace runnel::provider {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Every carrier of reasoning that a client may send back.
bool carries_reasoning(const chat::Extra& extra) {
    constexpr std::array<std::string_view, 4> names{"reasoning_content", "reasoning",
                                                    "reasoning_details", "thinking_blocks"};
    return is_in(extra.name, names);
}

bool is_claudes(const chat::Reasoning& reasoning) {
    return reasoning.issuer.starts_with("anthropic");
}

bool has_thoughts(const Message& message) {
    return std::ranges::any_of(message.parts, [](const Part& part) {
        const auto* reasoning = part.as<chat::Reasoning>();
        return reasoning != nullptr && !reasoning->text_escaped.empty();
    });
}

}  // namespace

MessageWriter::MessageWriter(const RequestQuirks* quirks, std::string_view owner,
                             const chat::Request* request, std::string* out)
    : quirks_(*quirks),
      owner_(owner),
      request_(*request),
      out_(*out),
      writer_(out_),
      content_(quirks, request, out),
      names_(quirks->tool_names) {}

void MessageWriter::write() {
    writer_.begin_array();
    if (quirks_.json_schema == RequestQuirks::JsonSchema::instructed &&
        request_.output.kind == chat::OutputFormat::Kind::json_schema)
        write_schema_instruction();
    ToolResults results(request_.messages);
    for (std::size_t i = 0; i < request_.messages.size(); ++i) {
        const Message& message = request_.messages[i];
        if (message.role != Role::tool) end_results();
        write_message(message);
        message.for_each_call([&](const chat::ToolCall& call) {
            if (!results.take(i, call.id)) unanswered_.push_back(call.id);
        });
    }
    end_results();
    writer_.end_array();
}

void MessageWriter::write_schema_instruction() {
    begin_message(Role::system);
    writer_.key("content");
    out_ += R"("Answer with one JSON object that fits this JSON Schema, and nothing else:\n)";
    json::append_escaped(out_, request_.output.schema_raw);
    out_ += '"';
    writer_.end_object();
}

void MessageWriter::write_message(const Message& message) {
    begin_message(message.role);
    if (keeps_name(message)) writer_.key("name").string(message.name);
    if (message.role == Role::tool)
        writer_.key("tool_call_id").string(tool_id(message.tool_call_id));
    content_.write(message);
    if (ContentWriter::has_more_than_text(message)) media_results_.push_back(&message);
    if (message.has_calls()) write_calls(message);
    if (message.role == Role::assistant) write_reasoning(message);
    if (is_unmarked_prefill(message)) writer_.key("prefix").boolean(true);
    content_.write_mark(message.cache);
    write_extras(message);
    writer_.end_object();
}

void MessageWriter::begin_message(Role role) {
    // Mistral wants the assistant to speak before the user does again.
    if (quirks_.after_tool == RequestQuirks::AfterTool::assistant && before_ == Role::tool &&
        role == Role::user)
        writer_.raw(R"({"role":"assistant","content":"OK"})");
    before_ = role;
    if (role == Role::developer && quirks_.developer == RequestQuirks::Developer::as_system)
        role = Role::system;
    writer_.begin_object().key("role").string(chat::name_of(role));
}

void MessageWriter::end_results() {
    for (const std::string_view id : std::exchange(unanswered_, {})) {
        begin_message(Role::tool);
        writer_.key("tool_call_id").string(tool_id(id));
        writer_.key("content").string(no_result).end_object();
    }
    if (media_results_.empty()) return;
    // Only the user may show pictures, and nobody may speak between the results.
    begin_message(Role::user);
    writer_.key("content").begin_array();
    for (const Message* result : std::exchange(media_results_, {})) {
        const std::string id = tool_id(result->tool_call_id);
        writer_.begin_object().key("type").string("text").key("text");
        writer_.string(fmt::format("From the result of the call {}:", id)).end_object();
        content_.write_media(*result);
    }
    writer_.end_array().end_object();
}

void MessageWriter::write_calls(const Message& message) {
    writer_.key("tool_calls").begin_array();
    for (const Part& part : message.parts)
        if (const auto* call = part.as<chat::ToolCall>()) write_call(part, *call);
    writer_.end_array();
}

void MessageWriter::write_call(const Part& part, const chat::ToolCall& call) {
    writer_.begin_object().key("id").string(tool_id(call.id)).key("type");
    if (call.kind == chat::ToolCall::Kind::custom) {
        writer_.string("custom").key("custom").begin_object();
        writer_.key("name").string(names_.sent(call.name));
        writer_.key("input").escaped(call.arguments_escaped).end_object();
    } else {
        writer_.string("function").key("function").begin_object();
        writer_.key("name").string(names_.sent(call.name));
        write_arguments(call);
        writer_.end_object();
    }
    if (quirks_.replay == ReasoningReplay::as_sent) {
        content_.write_extras(part.extras);
        if (has_own_state(call) && chat::find(part.extras, "extra_content").empty())
            writer_.key("extra_content").raw(call.state->raw);
    }
    writer_.end_object();
}

void MessageWriter::write_arguments(const chat::ToolCall& call) {
    const bool is_value = !call.arguments_raw.empty();
    const std::string_view arguments = is_value ? call.arguments_raw : call.arguments_escaped;
    writer_.key("arguments");
    if (says_nothing(arguments)) {
        writer_.string("{}");  // Azure, Ollama and vLLM read it as JSON
    } else {
        is_value ? writer_.string(arguments) : writer_.escaped(arguments);
    }
}

void MessageWriter::write_reasoning(const Message& message) {
    switch (quirks_.replay) {
        case ReasoningReplay::strip: return;
        case ReasoningReplay::as_sent:
            // In the words of this API it goes on with the message's extras.
            if (!speaks_chat(request_)) write_thoughts("reasoning_content", message);
            return;
        case ReasoningReplay::content_on_all_turns: return write_reasoning_content(message, "");
        case ReasoningReplay::content_on_tool_turns:
            if (message.has_calls()) write_reasoning_content(message, " ");
            return;
        case ReasoningReplay::details: return write_reasoning_details(message);
    }
}

void MessageWriter::write_reasoning_content(const Message& message, std::string_view if_lost) {
    if (const std::string_view kept = kept_state(message); !kept.empty()) {
        writer_.key("reasoning_content").raw(kept);
    } else if (has_thoughts(message)) {
        write_thoughts("reasoning_content", message);
    } else {
        writer_.key("reasoning_content").string(if_lost);
    }
}

void MessageWriter::write_reasoning_details(const Message& message) {
    std::string_view details = kept_state(message);
    if (details.empty() && speaks_chat(request_))
        details = chat::find(message.extras, "reasoning_details");
    if (!details.empty()) {
        writer_.key("reasoning_details").raw(details);
    } else if (std::ranges::any_of(message.parts, [&](const Part& p) { return is_usable(p); })) {
        writer_.key("reasoning_details").begin_array();
        for (const Part& part : message.parts)
            if (is_usable(part)) write_detail(*part.as<chat::Reasoning>());
        writer_.end_array();
    } else {
        write_thoughts("reasoning", message);
    }
}

// OpenRouter's word for one piece of reasoning.
void MessageWriter::write_detail(const chat::Reasoning& reasoning) {
    writer_.begin_object().key("type");
    if (reasoning.encrypted_escaped.empty()) {
        writer_.string("reasoning.text").key("text").escaped(reasoning.text_escaped);
        writer_.key("signature").escaped(reasoning.signature_escaped);
    } else {
        writer_.string("reasoning.encrypted").key("data").escaped(reasoning.encrypted_escaped);
    }
    if (!reasoning.id.empty()) writer_.key("id").string(reasoning.id);
    if (is_claudes(reasoning)) writer_.key("format").string("anthropic-claude-v1");
    writer_.end_object();
}

void MessageWriter::write_thoughts(json::Literal key, const Message& message) {
    if (!has_thoughts(message)) return;
    writer_.key(key);
    out_ += '"';
    bool first = true;
    for (const Part& part : message.parts) {
        const auto* reasoning = part.as<chat::Reasoning>();
        if (reasoning == nullptr || reasoning->text_escaped.empty()) continue;
        if (!std::exchange(first, false)) out_ += R"(\n\n)";
        out_ += reasoning->text_escaped;
    }
    out_ += '"';
}

void MessageWriter::write_extras(const Message& message) {
    if (!speaks_chat(request_)) return;
    for (const chat::Extra& extra : message.extras)
        if (quirks_.replay == ReasoningReplay::as_sent || !carries_reasoning(extra))
            writer_.key(extra.name).raw(extra.raw);
}

bool MessageWriter::keeps_name(const Message& message) const {
    if (message.name.empty()) return false;
    switch (quirks_.message_names) {
        case RequestQuirks::MessageNames::keep: return true;
        case RequestQuirks::MessageNames::drop: return false;
        case RequestQuirks::MessageNames::on_tools: return message.role == Role::tool;
    }
    return true;
}

bool MessageWriter::is_unmarked_prefill(const Message& message) const {
    return quirks_.prefill == RequestQuirks::Prefill::marked &&
           &message == &request_.messages.back() && message.role == Role::assistant &&
           !message.has_calls() && chat::find(message.extras, "prefix").empty();
}

bool MessageWriter::is_usable(const Part& part) const {
    const auto* reasoning = part.as<chat::Reasoning>();
    if (reasoning == nullptr || !reasoning->is_signed()) return false;
    const bool asks_claude = owner_.contains("/anthropic/");
    return reasoning->issuer == owner_ || (asks_claude && is_claudes(*reasoning));
}

std::string MessageWriter::tool_id(std::string_view id) const {
    if (quirks_.tool_ids == RequestQuirks::ToolIds::as_sent) return std::string(id);
    return nine_character_id(id);
}

bool MessageWriter::has_own_state(const chat::ToolCall& call) const {
    return call.state && call.state->owner == owner_ && !call.state->raw.empty();
}

std::string_view MessageWriter::kept_state(const Message& message) const {
    std::string_view kept;
    message.for_each_call([&](const chat::ToolCall& call) {
        if (kept.empty() && has_own_state(call)) kept = call.state->raw;
    });
    return kept;
}

std::string nine_character_id(std::string_view id) {
    constexpr std::size_t length = 9;
    if (id.size() == length && std::ranges::all_of(id, ascii::is_alphanumeric))
        return std::string(id);
    constexpr std::string_view digits =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::uint64_t hash = stable_hash(id);
    std::string out;
    for (std::size_t i = 0; i < length; ++i, hash /= digits.size())
        out += digits[hash % digits.size()];
    return out;
}

}  // namespace runnel::provider
