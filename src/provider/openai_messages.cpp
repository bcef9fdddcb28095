#include "provider/openai_messages.hpp"

#include "base/ascii.hpp"
#include "base/is_in.hpp"
#include "json/text.hpp"
#include "provider/json_fields.hpp"
#include "provider/tool_results.hpp"

#include <algorithm>
#include <array>

namespace runnel::provider {
namespace {

namespace ondemand = json::ondemand;
using chat::Message;
using chat::Part;
using chat::Role;

// Every carrier of reasoning that a client may send back.
bool is_reasoning_field(std::string_view name) {
    constexpr std::array<std::string_view, 4> names{"reasoning_content", "reasoning",
                                                    "reasoning_details", "thinking_blocks"};
    return is_in(name, names);
}

bool is_made_of_text(const Message& message) {
    return std::ranges::all_of(message.parts,
                               [](const Part& p) { return p.kind == Part::Kind::text; });
}

bool has_part_array(const Message& message) {
    return std::ranges::any_of(message.parts, [](const Part& part) { return !part.raw.empty(); });
}

bool has_file(const Message& message) {
    return std::ranges::any_of(message.parts,
                               [](const Part& part) { return part.kind == Part::Kind::file; });
}

bool has_cache_control(const Message& message) {
    return !message.cache_control_raw.empty() ||
           std::ranges::any_of(message.parts,
                               [](const Part& part) { return !part.cache_control_raw.empty(); });
}

}  // namespace

MessageWriter::MessageWriter(const RequestQuirks* quirks, std::string_view owner, std::string* out)
    : quirks_(*quirks),
      owner_(owner),
      out_(*out),
      writer_(out_) {}

void MessageWriter::write(const chat::Request& request) {
    writer_.begin_array();
    if (quirks_.json_schema == RequestQuirks::JsonSchema::instructed &&
        request.output.kind == chat::OutputFormat::Kind::json_schema)
        write_schema_instruction(request.output);
    ToolResults results(request.messages);
    std::vector<std::string_view> unanswered;
    Role before = Role::user;
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        const Message& message = request.messages[i];
        if (message.role != Role::tool && !unanswered.empty()) {
            write_missing_results(unanswered);
            before = Role::tool;
        }
        // Mistral wants the assistant to speak before the user does again.
        if (quirks_.after_tool == RequestQuirks::AfterTool::assistant && before == Role::tool &&
            message.role == Role::user)
            writer_.raw(R"({"role":"assistant","content":"OK"})");
        const bool prefill = quirks_.prefill == RequestQuirks::Prefill::marked &&
                             &message == &request.messages.back() &&
                             message.role == Role::assistant && message.tool_calls.empty();
        write_message(message);
        if (prefill && !message.raw.contains("\"prefix\"")) {
            out_.pop_back();
            writer_.key("prefix").boolean(true).end_object();
        }
        before = message.role;
        for (const chat::ToolCall& call : message.tool_calls)
            if (!results.take(i, call.id)) unanswered.push_back(call.id);
    }
    write_missing_results(unanswered);
    writer_.end_array();
}

void MessageWriter::write_missing_results(std::vector<std::string_view>& ids) {
    for (const std::string_view id : ids) {
        writer_.begin_object().key("role").string("tool");
        writer_.key("tool_call_id").string(tool_id(id));
        writer_.key("content").string(no_result).end_object();
    }
    ids.clear();
}

void MessageWriter::write_schema_instruction(const chat::OutputFormat& output) {
    writer_.begin_object().key("role").string("system").key("content");
    std::string text =
        "Answer with one JSON object that fits this JSON Schema, and nothing else:\n";
    text += output.schema_raw;
    writer_.string(text).end_object();
}

void MessageWriter::write_message(const Message& message) {
    if (message.raw.empty()) {
        write_made(message);
    } else if (goes_as_sent(message)) {
        writer_.raw(message.raw);
    } else {
        rewrite(message);
    }
}

bool MessageWriter::goes_as_sent(const Message& message) const {
    // Assistant messages carry nulls, empty arguments and other providers' reasoning: they are
    // always looked through.
    if (message.role == Role::assistant) return false;
    if (role_of(message) != chat::name_of(message.role) || !keeps_name(message)) return false;
    if (message.role == Role::tool && quirks_.tool_ids == RequestQuirks::ToolIds::nine_characters)
        return false;
    if (quirks_.cache_control == RequestQuirks::CacheControl::strip && has_cache_control(message))
        return false;
    if (quirks_.files == RequestQuirks::Files::document_url && has_file(message)) return false;
    return quirks_.content == RequestQuirks::Content::as_sent || !has_part_array(message) ||
           !is_made_of_text(message);
}

void MessageWriter::rewrite(const Message& message) {
    padded_ = message.raw;
    ondemand::document document;
    ondemand::object object;
    if (parser_.parse(Padded::of(padded_), document) || document.get_object().get(object)) {
        writer_.raw(message.raw);
        return;
    }
    writer_.begin_object();
    (void)for_each_field(object, [&](std::string_view name, ondemand::value value) {
        write_field(message, name, value);
    });
    write_reasoning(message);
    writer_.end_object();
}

void MessageWriter::write_field(const Message& message, std::string_view name,
                                ondemand::value value) {
    std::string_view raw;
    if (name == "tool_calls") {
        write_tool_calls(message, value);
    } else if (name == "role") {
        writer_.key(name).string(role_of(message));
    } else if (name == "name") {
        if (keeps_name(message)) writer_.key(name).string(message.name);
    } else if (name == "tool_call_id") {
        writer_.key(name).string(tool_id(message.tool_call_id));
    } else if (is_reasoning_field(name) && quirks_.replay != ReasoningReplay::as_sent) {
        return;
    } else if (name == "cache_control" &&
               quirks_.cache_control == RequestQuirks::CacheControl::strip) {
        return;
    } else if (json::raw_value(value, raw)) {
        // Groq and others refuse null where OpenAI's own answers have it: function_call, audio.
        if (raw == "null" && name != "content") return;
        writer_.escaped(name);
        out_ += ':';
        name == "content" ? write_content(message, raw) : (void)writer_.raw(raw);
    }
}

void MessageWriter::write_content(const Message& message, std::string_view raw) {
    const bool join = quirks_.content == RequestQuirks::Content::text_as_string &&
                      has_part_array(message) && is_made_of_text(message);
    const bool strip = quirks_.cache_control == RequestQuirks::CacheControl::strip &&
                       has_cache_control(message) && has_part_array(message);
    const bool documents = quirks_.files == RequestQuirks::Files::document_url && has_file(message);
    if (join) {
        out_ += '"';
        bool first = true;
        for (const Part& part : message.parts) {
            if (!first) out_ += "\\n";
            first = false;
            out_ += part.text_escaped;
        }
        out_ += '"';
    } else if (strip || documents) {
        writer_.begin_array();
        for (const Part& part : message.parts)
            if (!part.raw.empty()) write_part(part);
        writer_.end_array();
    } else {
        writer_.raw(raw);
    }
}

// A part without what its provider would refuse.
void MessageWriter::write_part(const Part& part) {
    if (part.kind == Part::Kind::file && quirks_.files == RequestQuirks::Files::document_url)
        return write_document(part);
    const bool unchanged = part.cache_control_raw.empty() && !part.raw.empty();
    if (unchanged || part.kind == Part::Kind::other) {
        writer_.raw(part.raw);
        return;
    }
    const auto member = [&](std::string_view name, std::string_view escaped) {
        if (!escaped.empty()) writer_.key(name).escaped(escaped);
    };
    writer_.begin_object().key("type");
    switch (part.kind) {
        case Part::Kind::text: writer_.string("text").key("text").escaped(part.text_escaped); break;
        case Part::Kind::refusal:
            writer_.string("refusal").key("refusal").escaped(part.text_escaped);
            break;
        case Part::Kind::image:
            writer_.string("image_url").key("image_url").begin_object();
            member("url", part.url_escaped);
            member("detail", part.detail_escaped);
            writer_.end_object();
            break;
        case Part::Kind::audio:
            writer_.string("input_audio").key("input_audio").begin_object();
            member("data", part.data_escaped);
            member("format", part.format_escaped);
            writer_.end_object();
            break;
        case Part::Kind::file:
            writer_.string("file").key("file").begin_object();
            member("file_id", part.file_id_escaped);
            member("file_data", part.data_escaped);
            member("filename", part.filename_escaped);
            writer_.end_object();
            break;
        case Part::Kind::other: break;
    }
    writer_.end_object();
}

// Mistral's words for a file: one that it has, or an address, which may be a data: URL.
void MessageWriter::write_document(const Part& part) {
    writer_.begin_object().key("type");
    if (!part.file_id_escaped.empty()) {
        writer_.string("file").key("file_id").escaped(part.file_id_escaped);
    } else {
        writer_.string("document_url").key("document_url").escaped(part.data_escaped);
        if (!part.filename_escaped.empty())
            writer_.key("document_name").escaped(part.filename_escaped);
    }
    writer_.end_object();
}

void MessageWriter::write_tool_calls(const Message& message, ondemand::value calls) {
    const std::size_t before = out_.size();
    writer_.key("tool_calls").begin_array();
    std::size_t index = 0;
    (void)for_each_element(
        calls, [&](ondemand::value call) { write_tool_call(call, kept_extra(message, index++)); });
    // Several servers refuse an empty list.
    if (out_.back() == '[') {
        out_.resize(before);
        return;
    }
    writer_.end_array();
}

void MessageWriter::write_tool_call(ondemand::value call, std::string_view kept) {
    writer_.begin_object();
    (void)for_each_field(call, [&](std::string_view name, ondemand::value value) {
        std::string id;
        std::string_view raw;
        if (name == "id" && json::plain_string(value, id)) {
            writer_.key(name).string(tool_id(id));
        } else if (name == "function") {
            write_function(value);
        } else if (name == "type" || name == "custom" ||
                   quirks_.replay == ReasoningReplay::as_sent) {
            if (!json::raw_value(value, raw) || raw == "null") return;
            if (name == "extra_content") kept = {};  // the client kept it
            writer_.key(name).raw(raw);
        }
    });
    if (!kept.empty()) writer_.key("extra_content").raw(kept);
    writer_.end_object();
}

std::string_view MessageWriter::kept_extra(const Message& message, std::size_t call) const {
    const bool kept = quirks_.replay == ReasoningReplay::as_sent &&
                      call < message.kept_state.size() && message.kept_state[call].owner == owner_;
    return kept ? std::string_view(message.kept_state[call].raw) : std::string_view();
}

void MessageWriter::write_function(ondemand::value function) {
    writer_.key("function").begin_object();
    (void)for_each_field(function, [&](std::string_view name, ondemand::value value) {
        std::string_view raw;
        if (!json::raw_value(value, raw)) return;
        if (name != "arguments") {
            writer_.key(name).raw(raw);
        } else if (raw == "\"\"" || raw == "null") {
            writer_.key(name).string("{}");  // Azure, Ollama and vLLM read it as JSON
        } else if (raw.starts_with('{')) {
            writer_.key(name).string(raw);
        } else {
            writer_.key(name).raw(raw);
        }
    });
    writer_.end_object();
}

void MessageWriter::write_reasoning(const Message& message) {
    if (message.role != Role::assistant) return;
    const chat::KeptState* kept = kept_state(message);
    switch (quirks_.replay) {
        case ReasoningReplay::strip:
        case ReasoningReplay::as_sent: return;
        case ReasoningReplay::details:
            if (kept != nullptr) {
                writer_.key("reasoning_details").raw(kept->raw);
            } else if (!message.reasoning_details_raw.empty()) {
                writer_.key("reasoning_details").raw(message.reasoning_details_raw);
            } else if (!message.reasoning_escaped.empty()) {
                writer_.key("reasoning").escaped(message.reasoning_escaped);
            }
            return;
        case ReasoningReplay::content_on_tool_turns:
            if (message.tool_calls.empty()) return;
            break;
        case ReasoningReplay::content_on_all_turns: break;
    }
    writer_.key("reasoning_content");
    const bool may_be_empty = quirks_.replay == ReasoningReplay::content_on_all_turns;
    if (kept != nullptr) {
        writer_.raw(kept->raw);
    } else if (!message.reasoning_escaped.empty() || may_be_empty) {
        writer_.escaped(message.reasoning_escaped);
    } else {
        writer_.string(" ");
    }
}

void MessageWriter::write_made(const Message& message) {
    writer_.begin_object().key("role").string(role_of(message));
    if (message.parts.empty()) {
        if (message.role != Role::assistant) writer_.key("content").string("");
    } else if (is_made_of_text(message) && message.parts.size() == 1) {
        writer_.key("content").escaped(message.parts.front().text_escaped);
    } else {
        writer_.key("content").begin_array();
        for (const Part& part : message.parts) write_part(part);
        writer_.end_array();
    }
    if (!message.tool_calls.empty()) {
        writer_.key("tool_calls").begin_array();
        for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
            const chat::ToolCall& call = message.tool_calls[i];
            writer_.begin_object()
                .key("id")
                .string(tool_id(call.id))
                .key("type")
                .string("function");
            writer_.key("function").begin_object().key("name").string(call.name).key("arguments");
            writer_.escaped(call.arguments_escaped.empty() ? "{}" : call.arguments_escaped);
            writer_.end_object();
            if (const auto extra = kept_extra(message, i); !extra.empty())
                writer_.key("extra_content").raw(extra);
            writer_.end_object();
        }
        writer_.end_array();
    }
    if (!message.tool_call_id.empty())
        writer_.key("tool_call_id").string(tool_id(message.tool_call_id));
    if (!message.name.empty() && keeps_name(message)) writer_.key("name").string(message.name);
    write_reasoning(message);
    writer_.end_object();
}

std::string_view MessageWriter::role_of(const Message& message) const {
    const bool as_system =
        message.role == Role::developer && quirks_.developer == RequestQuirks::Developer::as_system;
    return chat::name_of(as_system ? Role::system : message.role);
}

bool MessageWriter::keeps_name(const Message& message) const {
    if (message.name.empty()) return true;
    switch (quirks_.message_names) {
        case RequestQuirks::MessageNames::keep: return true;
        case RequestQuirks::MessageNames::drop: return false;
        case RequestQuirks::MessageNames::on_tools: return message.role == Role::tool;
    }
    return true;
}

std::string MessageWriter::tool_id(std::string_view id) const {
    if (quirks_.tool_ids == RequestQuirks::ToolIds::as_sent) return std::string(id);
    return nine_character_id(id);
}

const chat::KeptState* MessageWriter::kept_state(const Message& message) const {
    const auto found = std::ranges::find_if(message.kept_state, [&](const chat::KeptState& state) {
        return state.owner == owner_ && !state.raw.empty();
    });
    return found == message.kept_state.end() ? nullptr : &*found;
}

std::string nine_character_id(std::string_view id) {
    constexpr std::size_t length = 9;
    if (id.size() == length && std::ranges::all_of(id, ascii::is_alphanumeric))
        return std::string(id);
    constexpr std::string_view digits =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const unsigned char c : id) hash = (hash ^ c) * 0x100000001b3;
    std::string out;
    for (std::size_t i = 0; i < length; ++i, hash /= digits.size())
        out += digits[hash % digits.size()];
    return out;
}

}  // namespace runnel::provider
