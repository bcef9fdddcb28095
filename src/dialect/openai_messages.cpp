#include "dialect/openai_messages.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace runnel::dialect {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Of all messages together. Each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t parts_max = 20'000;
constexpr std::size_t calls_max = 20'000;

constexpr std::array roles{Role::system, Role::developer, Role::user, Role::assistant, Role::tool};

// A kind of content part: the word for it, and the field that holds it.
struct PartKind {
    std::string_view type;
    Part::Kind kind;
    std::string_view field;
};

constexpr std::array part_kinds{
    PartKind{"text", Part::Kind::text, "text"},
    PartKind{"refusal", Part::Kind::refusal, "refusal"},
    PartKind{"image_url", Part::Kind::image, "image_url"},
    PartKind{"input_audio", Part::Kind::audio, "input_audio"},
    PartKind{"file", Part::Kind::file, "file"},
};

Result<void> read_audio(Value& value, Part& part) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "data") return store(field.escaped(), part.data_escaped);
        if (name == "format") return store(field.escaped(), part.format_escaped);
        return {};
    });
    if (!read) return read;
    if (part.data_escaped.empty()) return value.needs("data");
    if (part.format_escaped.empty()) return value.needs("format");
    return {};
}

Result<void> read_file(Value& value, Part& part) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "file_data") return store(field.escaped(), part.data_escaped);
        if (name == "file_id") return store(field.escaped(), part.file_id_escaped);
        if (name == "filename") return store(field.escaped(), part.filename_escaped);
        return {};
    });
    if (!read) return read;
    if (part.data_escaped.empty() && part.file_id_escaped.empty()) return value.needs("file_data");
    return {};
}

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

}  // namespace

Result<void> OpenAiMessages::read(Value& messages) {
    auto read = messages.for_each_element([&](std::size_t index, Value& value) -> Result<void> {
        if (index >= limits::messages)
            return messages.wrong(fmt::format("has more than {} messages", limits::messages));
        return read_message(index, value);
    });
    if (!read) return read;
    if (request_.messages.empty()) return messages.wrong("must have at least one message");
    raw_ = mended(messages.raw(), 0);
    return {};
}

Result<void> OpenAiMessages::read_message(std::size_t index, Value& value) {
    const std::size_t edits_before = edits_.size();
    Draft draft{index};
    auto read = value.for_each_field(
        [&](std::string_view name, Value& field) { return read_field(name, field, draft); });
    if (!read) return read;
    if (auto checked = check(value, draft); !checked) return checked;
    for (const chat::ToolCall& call : draft.message.tool_calls) call_ids_.insert(call.id);
    draft.message.raw = mended(value.raw(), edits_before);
    draft.message.sent = value.raw();
    request_.messages.push_back(std::move(draft.message));
    return {};
}

Result<void> OpenAiMessages::read_field(std::string_view name, Value& value, Draft& draft) {
    Message& message = draft.message;
    if (name == "role") return read_role(value, draft);
    if (name == "content") return read_content(value, draft);
    if (name == "name") return store(value.text(), message.name);
    if (name == "tool_call_id") return store(value.text(), message.tool_call_id);
    if (name == "tool_calls")
        return value.for_each_element(
            [&](std::size_t, Value& call) { return read_tool_call(call, message); });
    if (name == "function_call") return read_function_call(value, draft);
    if (name == "refusal") {
        if (auto fits = count_part(value); !fits) return fits;
        Part part{.kind = Part::Kind::refusal};
        if (auto read = store(value.escaped(), part.text_escaped); !read) return read;
        message.parts.push_back(part);
        return {};
    }
    // What providers think aloud comes back in several carriers; one that has another shape is
    // somebody else's.
    if ((name == "reasoning_content" || name == "reasoning") && value.is_string() &&
        message.reasoning_escaped.empty())
        return store(value.escaped(), message.reasoning_escaped);
    if (name == "reasoning_details") message.reasoning_details_raw = value.raw();
    if (name == "thinking_blocks") message.thinking_blocks_raw = value.raw();
    if (name == "cache_control") message.cache_control_raw = value.raw();
    return {};
}

Result<void> OpenAiMessages::read_role(Value& value, Draft& draft) {
    auto text = value.text();
    if (!text) return propagate(text);
    draft.role_raw = value.raw();
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

Result<void> OpenAiMessages::read_content(Value& value, Draft& draft) {
    draft.content = Draft::Content::told;
    if (value.is_array())
        return value.for_each_element(
            [&](std::size_t, Value& part) { return read_part(part, draft.message); });
    if (!value.is_string()) return value.must_be("a string or an array of content parts");
    if (auto fits = count_part(value); !fits) return fits;
    draft.message.parts.push_back({.kind = Part::Kind::text, .text_escaped = *value.escaped()});
    return {};
}

Result<void> OpenAiMessages::count_part(const Value& value) {
    if (++parts_ <= parts_max) return {};
    return value.wrong(
        fmt::format("is one content part too many: all messages together may have {}", parts_max));
}

// Their arguments are JSON inside of strings: whoever reads it meets at most so many values.
Result<void> OpenAiMessages::count_call(const Value& value, const chat::ToolCall& call) {
    if (++calls_ > calls_max)
        return value.wrong(
            fmt::format("is one tool call too many: all messages together may have {}", calls_max));
    argument_commas_ += static_cast<std::size_t>(std::ranges::count(call.arguments_escaped, ','));
    if (argument_commas_ <= limits::request_values) return {};
    return value.wrong(fmt::format("is too much: the arguments of all calls may have {} values",
                                   limits::request_values));
}

Result<void> OpenAiMessages::read_part(Value& value, Message& message) {
    if (auto fits = count_part(value); !fits) return fits;
    if (!value.is_object()) return value.must_be("a content part, like {\"type\":\"text\",…}");
    const std::size_t edits_before = edits_.size();
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type");
    Part part;
    const auto known = std::ranges::find(part_kinds, type, &PartKind::type);
    std::optional<std::string_view> awaited;
    if (known != part_kinds.end()) {
        part.kind = known->kind;
        awaited = known->field;
    }
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "cache_control") part.cache_control_raw = field.raw();
        if (name != awaited) return {};
        awaited.reset();
        switch (part.kind) {
            case Part::Kind::image: return read_image(field, part);
            case Part::Kind::audio: return read_audio(field, part);
            case Part::Kind::file: return read_file(field, part);
            default: return store(field.escaped(), part.text_escaped);
        }
    });
    if (!read) return read;
    if (awaited) return value.needs(*awaited);
    part.raw = mended(value.raw(), edits_before);
    message.parts.push_back(part);
    return {};
}

Result<void> OpenAiMessages::read_image(Value& value, Part& part) {
    if (value.is_string()) {
        part.url_escaped = *value.escaped();
        edits_.push_back({value.raw(), fmt::format(R"({{"url":{}}})", value.raw())});
    } else {
        if (!value.is_object()) return value.must_be("an object with a url");
        auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            if (name == "url") return store(field.escaped(), part.url_escaped);
            if (name == "detail") return store(field.escaped(), part.detail_escaped);
            return {};
        });
        if (!read) return read;
    }
    if (part.url_escaped.empty()) return value.needs("url");
    return {};
}

Result<void> OpenAiMessages::read_tool_call(Value& value, Message& message) {
    chat::ToolCall call;
    bool called = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "id") return store(field.text(), call.id);
        if (name == "extra_content") call.extra_content_raw = field.raw();
        if (name != "function" && name != "custom") return {};
        called = true;
        return read_called_function(field, call);
    });
    if (!read) return read;
    if (call.id.empty()) return value.needs("id");
    if (!called) return value.needs("function");
    if (auto fits = count_call(value, call); !fits) return fits;
    message.tool_calls.push_back(std::move(call));
    return {};
}

Result<void> OpenAiMessages::read_function_call(Value& value, Draft& draft) {
    chat::ToolCall call;
    if (auto read = read_called_function(value, call); !read) return read;
    if (auto fits = count_call(value, call); !fits) return fits;
    call.id = function_call_id_ = fmt::format("call_function_{}", draft.index);
    // From the quote before the name to the end of the value.
    const char* const begin = value.key().data() - 1;
    const char* const end = value.raw().data() + value.raw().size();
    edits_.push_back({{begin, static_cast<std::size_t>(end - begin)},
                      fmt::format(R"("tool_calls":[{{"id":"{}","type":"function","function":{}}}])",
                                  call.id, value.raw())});
    draft.message.tool_calls.push_back(std::move(call));
    draft.has_function_call = true;
    return {};
}

Result<void> OpenAiMessages::check(Value& value, Draft& draft) {
    const Message& message = draft.message;
    if (draft.has_function_call && message.tool_calls.size() > 1)
        return value.wrong("has both function_call and tool_calls; use tool_calls");
    if (draft.role == Draft::Role::absent) return value.needs("role");
    if (!message.tool_calls.empty() && message.role != Role::assistant)
        return value.wrong("has tool calls, which only the assistant makes");
    const bool may_lack_content =
        message.role == Role::assistant || draft.role == Draft::Role::function;
    if (draft.content == Draft::Content::absent && !may_lack_content) return value.needs("content");
    return message.role == Role::tool ? match_call(value, draft) : Result<void>();
}

Result<void> OpenAiMessages::match_call(Value& value, Draft& draft) {
    Message& message = draft.message;
    if (draft.role == Draft::Role::function) {
        message.tool_call_id = function_call_id_;
        edits_.push_back(
            {draft.role_raw, fmt::format(R"("tool","tool_call_id":"{}")", function_call_id_)});
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

std::string_view OpenAiMessages::mended(std::string_view raw, std::size_t edits_before) {
    if (edits_.size() == edits_before) return raw;
    std::vector<const Edit*> inside;
    for (std::size_t i = edits_before; i < edits_.size(); ++i) inside.push_back(&edits_[i]);
    std::ranges::sort(inside, {}, [](const Edit* edit) { return edit->old.data(); });
    std::string text;
    const char* copied = raw.data();
    for (const Edit* edit : inside) {
        text.append(copied, edit->old.data());
        text += edit->text;
        copied = edit->old.data() + edit->old.size();
    }
    text.append(copied, raw.data() + raw.size());
    return request_.keep(std::move(text));
}

}  // namespace runnel::dialect
