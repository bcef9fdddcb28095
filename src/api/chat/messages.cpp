#include "api/chat/messages.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace runnel::api {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Of all messages together. Each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t parts_max = 20'000;
constexpr std::size_t calls_max = 20'000;

constexpr std::array roles{Role::system, Role::developer, Role::user, Role::assistant, Role::tool};

// A part as OpenAI has it, with what else a client says in it.
Result<void> read_image(Value& value, Part& part, chat::Request& request) {
    chat::Image image;
    std::string_view url;
    if (value.is_string()) {
        url = *value.escaped();
    } else {
        if (!value.is_object()) return value.must_be("an object with a url");
        auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            if (name == "url") return store(field.escaped(), url);
            if (name == "detail") return store(field.escaped(), image.detail_escaped);
            return keep_extra(field, request, part.extras);
        });
        if (!read) return read;
    }
    if (url.empty()) return value.needs("url");
    image.source = chat::source_of_url(url);
    part.content = image;
    return {};
}

Result<void> read_audio(Value& value, Part& part, chat::Request& request) {
    chat::Audio audio;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "data") return store(field.escaped(), audio.source.data_escaped);
        if (name == "format") return store(field.escaped(), audio.format_escaped);
        return keep_extra(field, request, part.extras);
    });
    if (!read) return read;
    if (audio.source.data_escaped.empty()) return value.needs("data");
    if (audio.format_escaped.empty()) return value.needs("format");
    part.content = audio;
    return {};
}

Result<void> read_file(Value& value, Part& part, chat::Request& request) {
    chat::File file;
    std::string_view data;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "file_data") return store(field.escaped(), data);
        if (name == "file_id") return store(field.escaped(), file.source.file_id_escaped);
        if (name == "filename") return store(field.escaped(), file.filename_escaped);
        return keep_extra(field, request, part.extras);
    });
    if (!read) return read;
    const std::string_view id = file.source.file_id_escaped;
    if (data.empty() && id.empty()) return value.needs("file_data");
    // Some send the bytes alone.
    file.source =
        data.starts_with("data:") ? chat::source_of_url(data) : chat::Source{.data_escaped = data};
    file.source.file_id_escaped = id;
    part.content = file;
    return {};
}

template <class Words>
Result<void> read_words(Value& value, Part& part, chat::Request&) {
    auto words = value.escaped();
    if (!words) return propagate(words);
    part.content = Words{*words};
    return {};
}

// A kind of content part: the word for it, the field that holds it, and how that is read.
struct PartKind {
    std::string_view type;
    std::string_view field;
    Result<void> (*read)(Value& value, Part& part, chat::Request& request);
};

constexpr std::array part_kinds{
    PartKind{"text", "text", read_words<chat::Text>},
    PartKind{"refusal", "refusal", read_words<chat::Refusal>},
    PartKind{"image_url", "image_url", read_image},
    PartKind{"input_audio", "input_audio", read_audio},
    PartKind{"file", "file", read_file},
};

Result<void> read_called_function(Value& value, chat::ToolCall& call) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name") return store(field.text(), call.name);
        // Custom tools take free text under the name of input.
        if (name == "arguments" || name == "input")
            return store(field.escaped(), call.arguments_escaped);
        return {};
    });
    if (!read) return read;
    if (call.name.empty()) return value.needs("name");
    return {};
}

// Google's carrier of the signature of a call.
Result<void> read_extra_content(Value& value, chat::ToolCall& call) {
    if (!value.is_object()) return {};
    return value.for_each_field([&](std::string_view name, Value& google) -> Result<void> {
        if (name != "google" || !google.is_object()) return {};
        return google.for_each_field([&](std::string_view inner, Value& field) -> Result<void> {
            if (inner == "thought_signature" && field.is_string())
                call.signature_escaped = *field.escaped();
            return {};
        });
    });
}

// Claude's signed thinking as clients carry it: LiteLLM's thinking_blocks (Anthropic's own blocks),
// and the entries of OpenRouter's reasoning_details that are Claude's.
Result<void> read_thinking(Value& list, std::vector<Part>& thinking) {
    if (!list.is_array()) return {};
    return list.for_each_element([&](std::size_t, Value& block) -> Result<void> {
        if (!block.is_object()) return {};
        const std::string type = block.text_of("type");
        const std::string format = block.text_of("format");
        const bool claudes = format.starts_with("anthropic");
        const bool is_detail = type.starts_with("reasoning.");
        chat::Reasoning reasoning{.issuer = "anthropic"};
        auto read = block.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            if (!field.is_string()) return {};
            if (name == "thinking" || name == "text") reasoning.text_escaped = *field.escaped();
            if (name == "signature") reasoning.signature_escaped = *field.escaped();
            if (name == "data") reasoning.encrypted_escaped = *field.escaped();
            return {};
        });
        if (!read) return read;
        const bool is_signed = (type == "thinking" || type == "reasoning.text") &&
                               !reasoning.signature_escaped.empty() &&
                               (!is_detail || claudes || format.empty());
        const bool is_encrypted =
            (type == "redacted_thinking" || (type == "reasoning.encrypted" && claudes)) &&
            !reasoning.encrypted_escaped.empty();
        if (is_signed) reasoning.encrypted_escaped = {};
        if (is_encrypted) reasoning.text_escaped = reasoning.signature_escaped = {};
        if (is_signed || is_encrypted) thinking.push_back({std::move(reasoning)});
        return {};
    });
}

}  // namespace

Result<void> ChatMessages::read(Value& messages) {
    auto read = messages.for_each_element([&](std::size_t index, Value& value) -> Result<void> {
        if (index >= limits::messages)
            return messages.wrong(fmt::format("has more than {} messages", limits::messages));
        return read_message(index, value);
    });
    if (!read) return read;
    if (request_.messages.empty()) return messages.wrong("must have at least one message");
    return {};
}

Result<void> ChatMessages::read_message(std::size_t index, Value& value) {
    Draft draft{index};
    auto read = value.for_each_field(
        [&](std::string_view name, Value& field) { return read_field(name, field, draft); });
    if (!read) return read;
    if (auto checked = check(value, draft); !checked) return checked;
    Message& message = draft.message;
    message.number = index + 1;
    std::vector<Part> thinking =
        std::move(draft.thinking.empty() ? draft.thinking_details : draft.thinking);
    const bool has_signed_text = std::ranges::any_of(thinking, [](const Part& part) {
        return !part.as<chat::Reasoning>()->text_escaped.empty();
    });
    if (!draft.reasoning_escaped.empty() && !has_signed_text)
        thinking.push_back({chat::Reasoning{.text_escaped = draft.reasoning_escaped}});
    message.parts.insert(message.parts.begin(), std::make_move_iterator(thinking.begin()),
                         std::make_move_iterator(thinking.end()));
    for (Part& call : draft.calls) {
        call_ids_.insert(call.as<chat::ToolCall>()->id);
        message.parts.push_back(std::move(call));
    }
    request_.messages.push_back(std::move(message));
    return {};
}

Result<void> ChatMessages::read_field(std::string_view name, Value& value, Draft& draft) {
    Message& message = draft.message;
    if (name == "role") return read_role(value, draft);
    if (name == "content") return read_content(value, draft);
    if (name == "name") return store(value.text(), message.name);
    if (name == "tool_call_id") return store(value.text(), message.tool_call_id);
    if (name == "tool_calls")
        return value.for_each_element(
            [&](std::size_t, Value& call) { return read_tool_call(call, draft); });
    if (name == "function_call") return read_function_call(value, draft);
    if (name == "refusal") {
        if (auto fits = count_part(value); !fits) return fits;
        return read_words<chat::Refusal>(value, message.parts.emplace_back(), request_);
    }
    if (name == "cache_control") return read_cache_mark(value, message.cache);
    // What providers think aloud comes back in several carriers; one that has another shape is
    // somebody else's. They are also kept as they came, for servers that want them so.
    if ((name == "reasoning_content" || name == "reasoning") && value.is_string() &&
        draft.reasoning_escaped.empty())
        draft.reasoning_escaped = *value.escaped();
    if (name == "thinking_blocks" || name == "reasoning_details") {
        auto& thinking = name == "thinking_blocks" ? draft.thinking : draft.thinking_details;
        if (auto read = read_thinking(value, thinking); !read) return read;
    }
    return keep_extra(value, request_, message.extras);
}

Result<void> ChatMessages::read_role(Value& value, Draft& draft) {
    auto text = value.text();
    if (!text) return propagate(text);
    if (*text == "function") {
        draft.role = Draft::Role::function;
        draft.message.role = Role::tool;
        return {};
    }
    const auto found = std::ranges::find(roles, std::string_view(*text),
                                         [](Role role) { return chat::name_of(role); });
    if (found == roles.end())
        return value.wrong(fmt::format(
            "is {}; it must be one of system, developer, user, assistant, tool", in_quotes(*text)));
    draft.role = Draft::Role::told;
    draft.message.role = *found;
    return {};
}

Result<void> ChatMessages::read_content(Value& value, Draft& draft) {
    draft.content = Draft::Content::told;
    if (value.is_array())
        return value.for_each_element(
            [&](std::size_t, Value& part) { return read_part(part, draft.message); });
    if (!value.is_string()) return value.must_be("a string or an array of content parts");
    if (auto fits = count_part(value); !fits) return fits;
    draft.message.form = Message::Form::string;
    draft.message.parts.push_back({chat::Text{*value.escaped()}});
    return {};
}

Result<void> ChatMessages::count_part(const Value& value) {
    if (++parts_ <= parts_max) return {};
    return value.wrong(
        fmt::format("is one content part too many: all messages together may have {}", parts_max));
}

// Their arguments are JSON inside of strings: whoever reads it meets at most so many values.
Result<void> ChatMessages::count_call(const Value& value, const chat::ToolCall& call) {
    if (++calls_ > calls_max)
        return value.wrong(
            fmt::format("is one tool call too many: all messages together may have {}", calls_max));
    argument_commas_ += static_cast<std::size_t>(std::ranges::count(call.arguments_escaped, ','));
    if (argument_commas_ <= limits::request_values) return {};
    return value.wrong(fmt::format("is too much: the arguments of all calls may have {} values",
                                   limits::request_values));
}

Result<void> ChatMessages::read_part(Value& value, Message& message) {
    if (auto fits = count_part(value); !fits) return fits;
    if (!value.is_object()) return value.must_be("a content part, like {\"type\":\"text\",…}");
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type");
    const auto known = std::ranges::find(part_kinds, type, &PartKind::type);
    Part part;
    if (known == part_kinds.end()) {
        part.content = chat::Other{type, value.raw()};
        message.parts.push_back(std::move(part));
        return {};
    }
    bool told = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "cache_control") return read_cache_mark(field, part.cache);
        if (name == known->field && !told) {
            told = true;
            return known->read(field, part, request_);
        }
        return name == "type" ? Result<void>() : keep_extra(field, request_, part.extras);
    });
    if (!read) return read;
    if (!told) return value.needs(known->field);
    message.parts.push_back(std::move(part));
    return {};
}

Result<void> ChatMessages::read_tool_call(Value& value, Draft& draft) {
    Part part;
    chat::ToolCall call;
    bool called = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "id") return store(field.text(), call.id);
        if (name == "function" || name == "custom") {
            called = true;
            if (name == "custom") call.kind = chat::ToolCall::Kind::custom;
            return read_called_function(field, call);
        }
        if (name == "extra_content") {
            if (auto extra = read_extra_content(field, call); !extra) return extra;
        }
        if (name == "type" || name == "index") return {};
        return keep_extra(field, request_, part.extras);
    });
    if (!read) return read;
    if (call.id.empty()) return value.needs("id");
    if (!called) return value.needs("function");
    if (auto fits = count_call(value, call); !fits) return fits;
    part.content = std::move(call);
    draft.calls.push_back(std::move(part));
    return {};
}

Result<void> ChatMessages::read_function_call(Value& value, Draft& draft) {
    chat::ToolCall call;
    if (auto read = read_called_function(value, call); !read) return read;
    if (auto fits = count_call(value, call); !fits) return fits;
    call.id = function_call_id_ = fmt::format("call_function_{}", draft.index);
    draft.calls.push_back({std::move(call)});
    draft.has_function_call = true;
    return {};
}

Result<void> ChatMessages::check(Value& value, Draft& draft) {
    const Message& message = draft.message;
    if (draft.has_function_call && draft.calls.size() > 1)
        return value.wrong("has both function_call and tool_calls; use tool_calls");
    if (draft.role == Draft::Role::absent) return value.needs("role");
    if (!draft.calls.empty() && message.role != Role::assistant)
        return value.wrong("has tool calls, which only the assistant makes");
    const bool may_lack_content =
        message.role == Role::assistant || draft.role == Draft::Role::function;
    if (draft.content == Draft::Content::absent && !may_lack_content) return value.needs("content");
    return message.role == Role::tool ? match_call(value, draft) : Result<void>();
}

Result<void> ChatMessages::match_call(Value& value, Draft& draft) {
    Message& message = draft.message;
    if (draft.role == Draft::Role::function) {
        message.tool_call_id = function_call_id_;
        if (function_call_id_.empty())
            return value.wrong("answers no function_call of an earlier message",
                               ErrorKind::tool_call_id_mismatch);
        return {};
    }
    if (message.tool_call_id.empty()) return value.needs("tool_call_id");
    if (call_ids_.contains(message.tool_call_id)) return {};
    return fail_at(ErrorKind::tool_call_id_mismatch, value.place() + ".tool_call_id",
                   fmt::format("{}.tool_call_id is {}, which no tool call of an earlier assistant "
                               "message has",
                               value.place(), in_quotes(message.tool_call_id)));
}

}  // namespace runnel::api
