#include "api/messages/blocks.hpp"

#include "api/issued.hpp"
#include "base/is_in.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <array>

namespace runnel::api::messages {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Of all messages together: each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t blocks_max = 40'000;

// Claude Code's first block of system text: it is for Anthropic alone, and other in every request.
constexpr std::string_view billing_header = "x-anthropic-billing-header";

// Image and document: {"type":"base64","media_type":…,"data":…}, {"type":"url"…}, {"type":"file"…}.
Result<void> read_source(Value& value, chat::Source& source, std::string_view* text) {
    const std::string type = value.text_of("type");
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "media_type") return store(field.escaped(), source.media_type_escaped);
        if (name == "url") return store(field.escaped(), source.url_escaped);
        if (name == "file_id") return store(field.escaped(), source.file_id_escaped);
        if (name != "data") return {};
        if (type == "text" && text != nullptr) return store(field.escaped(), *text);
        return store(field.escaped(), source.data_escaped);
    });
    if (!read) return read;
    const bool has_text = text != nullptr && !text->empty();
    return source.empty() && !has_text ? value.needs("data") : Result<void>();
}

Result<void> read_image_block(Value& block, Part& part) {
    chat::Image image;
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "source" ? read_source(field, image.source, nullptr) : Result<void>();
    });
    if (!read) return read;
    if (image.source.empty()) return block.needs("source");
    part.content = image;
    return {};
}

Result<void> read_document_block(Value& block, Part& part) {
    chat::File file;
    bool known = true;
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "title") return store(field.escaped(), file.filename_escaped);
        if (name == "context") return store(field.escaped(), file.context_escaped);
        if (name == "citations")
            return field.for_each_field([&](std::string_view inner, Value& on) -> Result<void> {
                return inner == "enabled" ? read_wish(on, file.citations) : Result<void>();
            });
        if (name != "source") return {};
        // Documents made of blocks are Anthropic's own.
        known = field.is_object() && field.text_of("type") != "content";
        return known ? read_source(field, file.source, &file.text_escaped) : Result<void>();
    });
    if (!read) return read;
    if (!known) {
        part.content = chat::Other{"document", block.raw()};
        return {};
    }
    if (file.source.empty() && file.text_escaped.empty()) return block.needs("source");
    part.content = file;
    return {};
}

Result<void> read_thinking_block(Value& block, const std::string& type, Part& part) {
    chat::Reasoning reasoning;
    std::string_view carried;
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "thinking") return store(field.escaped(), reasoning.text_escaped);
        if (name == "signature" || name == "data") return store(field.escaped(), carried);
        return {};
    });
    if (!read) return read;
    Issued issued = read_issued(carried);
    reasoning.issuer = issued.issuer.empty() ? "anthropic" : std::move(issued.issuer);
    (type == "thinking" ? reasoning.signature_escaped : reasoning.encrypted_escaped) =
        issued.data_escaped;
    if (!reasoning.is_signed()) reasoning.issuer.clear();
    part.content = std::move(reasoning);
    return {};
}

Result<void> read_tool_use_block(Value& block, Part& part) {
    chat::ToolCall call;
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "id") return store(field.text(), call.id);
        if (name == "name") return store(field.text(), call.name);
        if (name != "input") return {};
        if (!field.is_object()) return field.must_be("an object");
        call.arguments_raw = field.raw();
        return {};
    });
    if (!read) return read;
    if (call.id.empty()) return block.needs("id");
    if (call.name.empty()) return block.needs("name");
    if (call.arguments_raw.empty()) return block.needs("input");
    part.content = std::move(call);
    return {};
}

Result<void> read_text_block(Value& block, Part& part) {
    chat::Text text;
    bool told = false;
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "text") return {};
        told = true;
        return store(field.escaped(), text.text_escaped);
    });
    if (!read) return read;
    if (!told) return block.needs("text");
    part.content = text;
    return {};
}

// The fields that a block's reader has understood; the others are Anthropic's own.
bool is_understood(std::string_view type, std::string_view name) {
    constexpr std::array<std::string_view, 3> always{"type", "cache_control", "text"};
    constexpr std::array<std::string_view, 4> document{"source", "title", "context", "citations"};
    if (is_in(name, always)) return true;
    if (type == "image") return name == "source";
    if (type == "document") return is_in(name, document);
    if (type == "tool_use") return name == "id" || name == "name" || name == "input";
    return type == "thinking" ? name == "thinking" || name == "signature"
                              : type == "redacted_thinking" && name == "data";
}

bool is_known(std::string_view type) {
    constexpr std::array<std::string_view, 6> known{"text",     "image",    "document",
                                                    "thinking", "tool_use", "redacted_thinking"};
    return is_in(type, known);
}

}  // namespace

Result<void> BlockReader::read_messages(Value& messages) {
    if (!messages.is_array()) return messages.must_be("an array");
    auto read = messages.for_each_element([&](std::size_t index, Value& value) -> Result<void> {
        if (index >= limits::messages)
            return messages.wrong(fmt::format("has more than {} messages", limits::messages));
        return read_message(value);
    });
    if (!read) return read;
    if (request_.messages.empty()) return messages.wrong("at least one message is required");
    return {};
}

Result<void> BlockReader::read_message(Value& value) {
    if (!value.is_object()) return value.must_be("an object");
    const std::string word = value.text_of("role");
    if (word.empty()) return value.needs("role");
    if (word != "user" && word != "assistant" && word != "system")
        return value.wrong(
            fmt::format("has the role {}; it must be \"user\" or \"assistant\"", in_quotes(word)));
    const Role role = word == "user"        ? Role::user
                      : word == "assistant" ? Role::assistant
                                            : Role::system;
    bool told = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "content") return {};
        told = true;
        return read_content(field, role);
    });
    if (!read) return read;
    return told ? Result<void>() : value.needs("content");
}

Result<void> BlockReader::read_content(Value& content, Role role) {
    if (content.is_string()) {
        if (auto fits = count(content); !fits) return fits;
        Message& message = request_.messages.emplace_back(Message{.role = role});
        message.form = Message::Form::string;
        message.parts.push_back({chat::Text{*content.escaped()}});
        return {};
    }
    if (!content.is_array()) return content.must_be("a string or an array of content blocks");
    const std::size_t before = request_.messages.size();
    Message message{.role = role};
    auto read = content.for_each_element([&](std::size_t, Value& block) -> Result<void> {
        if (auto fits = count(block); !fits) return fits;
        if (!block.is_object()) return block.must_be("an object");
        if (role != Role::user || block.text_of("type") != "tool_result")
            return read_block(block, message.parts);
        if (!message.parts.empty())
            request_.messages.push_back(std::exchange(message, Message{.role = role}));
        return read_tool_result(block);
    });
    if (!read) return read;
    if (!message.parts.empty() || request_.messages.size() == before)
        request_.messages.push_back(std::move(message));
    return {};
}

Result<void> BlockReader::count(const Value& block) {
    if (++blocks_ <= blocks_max) return {};
    return block.wrong(
        fmt::format("is one block too many: all messages together may have {}", blocks_max));
}

Result<void> BlockReader::read_tool_result(Value& block) {
    Message message{.role = Role::tool};
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "tool_use_id") return store(field.text(), message.tool_call_id);
        if (name == "is_error") return read_wish(field, message.failed);
        if (name == "cache_control") return read_cache_mark(field, message.cache);
        if (name == "type") return {};
        if (name != "content") return keep_extra(field, request_, message.extras);
        if (field.is_string()) {
            message.form = Message::Form::string;
            message.parts.push_back({chat::Text{*field.escaped()}});
            return {};
        }
        if (!field.is_array()) return field.must_be("a string or an array of content blocks");
        return field.for_each_element([&](std::size_t, Value& inner) -> Result<void> {
            if (auto fits = count(inner); !fits) return fits;
            return read_block(inner, message.parts);
        });
    });
    if (!read) return read;
    if (message.tool_call_id.empty()) return block.needs("tool_use_id");
    if (!call_ids_.contains(message.tool_call_id))
        return block.wrong(
            fmt::format("unexpected `tool_use_id` found in `tool_result` blocks: {}. Each "
                        "`tool_result` block must have a corresponding `tool_use` block in the "
                        "previous message.",
                        in_quotes(message.tool_call_id)),
            ErrorKind::tool_call_id_mismatch);
    request_.messages.push_back(std::move(message));
    return {};
}

Result<void> BlockReader::read_block(Value& block, std::vector<Part>& parts) {
    if (!block.is_object()) return block.must_be("an object");
    const std::string type = block.text_of("type");
    if (type.empty()) return block.needs("type");
    Part part;
    if (!is_known(type)) {
        part.content = chat::Other{type, block.raw()};
        parts.push_back(std::move(part));
        return {};
    }
    if (auto read = read_known_block(block, type, part); !read) return read;
    if (part.is<chat::Other>()) {
        parts.push_back(std::move(part));
        return {};
    }
    auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "cache_control") return read_cache_mark(field, part.cache);
        return is_understood(type, name) ? Result<void>()
                                         : keep_extra(field, request_, part.extras);
    });
    if (!read) return read;
    if (const auto* call = part.as<chat::ToolCall>()) call_ids_.insert(call->id);
    parts.push_back(std::move(part));
    return {};
}

Result<void> BlockReader::read_known_block(Value& block, const std::string& type, Part& part) {
    if (type == "text") return read_text_block(block, part);
    if (type == "image") return read_image_block(block, part);
    if (type == "document") return read_document_block(block, part);
    if (type == "tool_use") return read_tool_use_block(block, part);
    return read_thinking_block(block, type, part);
}

Result<void> BlockReader::read_system(Value& value, std::vector<Message>& system) {
    Message message{.role = Role::system};
    if (value.is_string()) {
        message.form = Message::Form::string;
        message.parts.push_back({chat::Text{*value.escaped()}});
    } else {
        if (!value.is_array()) return value.must_be("a string or an array of text blocks");
        auto read = value.for_each_element([&](std::size_t, Value& block) -> Result<void> {
            if (auto fits = count(block); !fits) return fits;
            if (auto read_part = read_block(block, message.parts); !read_part) return read_part;
            Part& part = message.parts.back();
            const auto* text = part.as<chat::Text>();
            if (text != nullptr && text->text_escaped.starts_with(billing_header))
                part = {chat::Other{std::string(billing_header), block.raw()}};
            return {};
        });
        if (!read) return read;
    }
    if (!message.parts.empty()) system.push_back(std::move(message));
    return {};
}

}  // namespace runnel::api::messages
