#include "api/responses/input_items.hpp"

#include "api/responses/sealed.hpp"
#include "api/responses/stored_items.hpp"
#include "api/responses/tools.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <utility>

namespace runnel::api::responses {
namespace {

using chat::Message;
using chat::Part;
using chat::Role;

// Items and their parts together: each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t items_max = 40'000;

constexpr std::array roles{Role::system, Role::developer, Role::user, Role::assistant};

Result<void> keep_in_part(const Value& field, std::string_view name, chat::Request& request,
                          Part& part) {
    return name == "type" ? Result<void>() : keep_extra(field, request, part.extras);
}

template <class Words>
Result<void> read_words(Value& value, Part& part, chat::Request& request) {
    constexpr std::string_view member = std::is_same_v<Words, chat::Refusal> ? "refusal" : "text";
    Words words;
    bool told = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != member) return keep_in_part(field, name, request, part);
        told = true;
        return store(field.escaped(), words.text_escaped);
    });
    if (!read) return read;
    if (!told) return value.needs(member);
    part.content = words;
    return {};
}

Result<void> read_image(Value& value, Part& part, chat::Request& request) {
    chat::Image image;
    std::string_view url;
    std::string_view file_id;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "image_url") return store(field.escaped(), url);
        if (name == "file_id") return store(field.escaped(), file_id);
        if (name == "detail") return store(field.escaped(), image.detail_escaped);
        return keep_in_part(field, name, request, part);
    });
    if (!read) return read;
    if (!url.empty()) image.source = chat::source_of_url(url);
    image.source.file_id_escaped = file_id;
    if (image.source.empty()) return value.needs("image_url");
    part.content = image;
    return {};
}

Result<void> read_file(Value& value, Part& part, chat::Request& request) {
    chat::File file;
    std::string_view data;
    std::string_view url;
    std::string_view file_id;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "file_data") return store(field.escaped(), data);
        if (name == "file_url") return store(field.escaped(), url);
        if (name == "file_id") return store(field.escaped(), file_id);
        if (name == "filename") return store(field.escaped(), file.filename_escaped);
        return keep_in_part(field, name, request, part);
    });
    if (!read) return read;
    // Some send the bytes alone.
    if (!data.empty() && !data.starts_with("data:")) {
        file.source.data_escaped = data;
    } else if (!data.empty() || !url.empty()) {
        file.source = chat::source_of_url(data.empty() ? url : data);
    }
    file.source.file_id_escaped = file_id;
    if (file.source.empty()) return value.needs("file_data");
    part.content = file;
    return {};
}

Result<void> read_audio(Value& value, Part& part, chat::Request& request) {
    chat::Audio audio;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "input_audio") return keep_in_part(field, name, request, part);
        return field.for_each_field([&](std::string_view inner, Value& told) -> Result<void> {
            if (inner == "data") return store(told.escaped(), audio.source.data_escaped);
            return inner == "format" ? store(told.escaped(), audio.format_escaped) : Result<void>();
        });
    });
    if (!read) return read;
    if (audio.source.empty() || audio.format_escaped.empty())
        return value.wrong(R"(needs input_audio with data and format)");
    part.content = audio;
    return {};
}

struct PartKind {
    std::string_view type;
    Result<void> (*read)(Value& value, Part& part, chat::Request& request);
};

constexpr std::array part_kinds{
    PartKind{"input_text", read_words<chat::Text>},
    PartKind{"output_text", read_words<chat::Text>},
    PartKind{"text", read_words<chat::Text>},
    PartKind{"refusal", read_words<chat::Refusal>},
    PartKind{"input_image", read_image},
    PartKind{"input_file", read_file},
    PartKind{"input_audio", read_audio},
};

}  // namespace

Result<void> InputItems::read(Value& input) {
    if (input.is_string()) {
        Message& message = request_.messages.emplace_back(Message{.role = Role::user});
        message.form = Message::Form::string;
        message.parts.push_back({chat::Text{*input.escaped()}});
        return {};
    }
    if (!input.is_array()) return input.must_be("a string or an array of items");
    return input.for_each_element([&](std::size_t, Value& item) -> Result<void> {
        if (auto fits = count(item); !fits) return fits;
        return read_item(item);
    });
}

Result<void> InputItems::count(const Value& value) {
    if (++count_ <= items_max) return {};
    return value.wrong(
        fmt::format("is one too many: all items and their parts together may be {}", items_max));
}

Result<void> InputItems::read_item(Value& item) {
    if (!item.is_object()) return item.must_be("an object");
    std::string type = item.text_of("type");
    if (type.empty() && !item.text_of("role").empty()) type = "message";
    if (type.empty() && !item.text_of("id").empty()) type = "item_reference";
    if (type.empty()) return item.needs("type");
    if (type == "message") return read_message(item);
    if (type == "function_call") return read_call(item, chat::ToolCall::Kind::function);
    if (type == "custom_tool_call") return read_call(item, chat::ToolCall::Kind::custom);
    if (type == "function_call_output" || type == "custom_tool_call_output")
        return read_output(item);
    if (type == "reasoning") return read_thought(item);
    if (type == "additional_tools") return read_more_tools(item);
    refers_ = refers_ || stands_for_others(type);
    // What only this API knows stays where it stood among what the assistant did.
    turn().parts.push_back({chat::Other{std::move(type), item.raw()}});
    return {};
}

Message& InputItems::turn() {
    auto& messages = request_.messages;
    if (messages.empty() || messages.back().role != Role::assistant)
        messages.push_back({.role = Role::assistant});
    return messages.back();
}

Result<void> InputItems::read_message(Value& item) {
    const std::string word = item.text_of("role");
    if (word.empty()) return item.needs("role");
    const auto role = std::ranges::find(roles, std::string_view(word),
                                        [](Role known) { return chat::name_of(known); });
    if (role == roles.end())
        return item.wrong(
            fmt::format("has the role {}; it must be one of user, assistant, system, developer",
                        in_quotes(word)));
    Message message{.role = *role};
    bool told = false;
    auto read = item.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "type" || name == "role") return {};
        if (name != "content") return keep_extra(field, request_, message.extras);
        told = true;
        return read_content(field, message);
    });
    if (!read) return read;
    if (!told) return item.needs("content");
    if (message.role != Role::assistant) {
        request_.messages.push_back(std::move(message));
        return {};
    }
    if (message.parts.empty()) return {};
    // What is said of the item (id, phase) goes with its first part, where the item begins.
    chat::Extras& extras = message.parts.front().extras;
    extras.insert(extras.end(), message.extras.begin(), message.extras.end());
    std::ranges::move(message.parts, std::back_inserter(turn().parts));
    return {};
}

Result<void> InputItems::read_content(Value& content, Message& message) {
    if (content.is_string()) {
        if (auto fits = count(content); !fits) return fits;
        message.form = Message::Form::string;
        message.parts.push_back({chat::Text{*content.escaped()}});
        return {};
    }
    if (!content.is_array()) return content.must_be("a string or an array of content parts");
    return content.for_each_element([&](std::size_t, Value& part) -> Result<void> {
        if (auto fits = count(part); !fits) return fits;
        return read_part(part, message.parts);
    });
}

Result<void> InputItems::read_part(Value& value, std::vector<Part>& parts) {
    if (!value.is_object()) return value.must_be("an object");
    std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type");
    const auto known = std::ranges::find(part_kinds, type, &PartKind::type);
    Part part;
    if (known == part_kinds.end()) {
        part.content = chat::Other{std::move(type), value.raw()};
    } else if (auto read = known->read(value, part, request_); !read) {
        return read;
    }
    parts.push_back(std::move(part));
    return {};
}

Result<void> InputItems::read_call(Value& item, chat::ToolCall::Kind kind) {
    Part part;
    chat::ToolCall call{.kind = kind};
    std::string group;
    auto read = item.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "type") return {};
        if (name == "call_id") return store(field.text(), call.id);
        if (name == "name") return store(field.text(), call.name);
        if (name == "input" && kind == chat::ToolCall::Kind::custom)
            return store(field.escaped(), call.arguments_escaped);
        if (name == "arguments" && kind == chat::ToolCall::Kind::function) {
            if (!field.is_object()) return store(field.escaped(), call.arguments_escaped);
            call.arguments_raw = field.raw();
            return {};
        }
        if (name == "namespace")
            if (auto named = store(field.text(), group); !named) return named;
        return keep_extra(field, request_, part.extras);
    });
    if (!read) return read;
    if (call.id.empty()) return item.needs("call_id");
    if (call.name.empty()) return item.needs("name");
    if (auto fits = count_call(item, call); !fits) return fits;
    call.name = name_in_group(group, call.name);
    call_ids_.insert(call.id);
    part.content = std::move(call);
    turn().parts.push_back(std::move(part));
    return {};
}

// Their arguments are JSON inside of strings: whoever reads it meets at most so many values.
Result<void> InputItems::count_call(const Value& item, const chat::ToolCall& call) {
    argument_commas_ += static_cast<std::size_t>(std::ranges::count(call.arguments_escaped, ','));
    if (argument_commas_ <= limits::request_values) return {};
    return item.wrong(fmt::format("is too much: the arguments of all calls may have {} values",
                                  limits::request_values));
}

Result<void> InputItems::read_output(Value& item) {
    Message message{.role = Role::tool};
    bool told = false;
    auto read = item.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "type") return {};
        if (name == "call_id") return store(field.text(), message.tool_call_id);
        if (name != "output") return keep_extra(field, request_, message.extras);
        told = true;
        return read_content(field, message);
    });
    if (!read) return read;
    if (message.tool_call_id.empty()) return item.needs("call_id");
    if (!told) return item.needs("output");
    if (!call_ids_.contains(message.tool_call_id) && !without_call_)
        without_call_ = {ErrorKind::tool_call_id_mismatch,
                         fmt::format("No tool call found for function call output with call_id {}; "
                                     "send the call in an item before it.",
                                     in_quotes(message.tool_call_id)),
                         item.place()};
    request_.messages.push_back(std::move(message));
    return {};
}

Result<void> InputItems::check_results() const {
    return without_call_ ? fail(*without_call_) : Result<void>();
}

Result<void> InputItems::read_thought(Value& item) {
    Part part;
    chat::Reasoning reasoning;
    std::string_view summary;
    std::string_view content;
    std::string_view carried;
    auto read = item.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "type") return {};
        if (name == "id") return store(field.text(), reasoning.id);
        if (name == "encrypted_content") return store(field.escaped(), carried);
        if (name == "summary") return read_texts(field, summary);
        if (name == "content") return read_texts(field, content);
        return keep_extra(field, request_, part.extras);
    });
    if (!read) return read;
    reasoning.text_escaped = summary.empty() ? content : summary;
    read_sealed(carried, reasoning);
    // One that has an id alone is a reference; models do without it.
    if (reasoning.text_escaped.empty() && !reasoning.is_signed()) return {};
    part.content = std::move(reasoning);
    turn().parts.push_back(std::move(part));
    return {};
}

Result<void> InputItems::read_texts(Value& value, std::string_view& text_escaped) {
    if (value.is_string()) return store(value.escaped(), text_escaped);
    if (!value.is_array()) return value.must_be("an array of texts");
    std::string joined;
    std::size_t texts = 0;
    auto read = value.for_each_element([&](std::size_t, Value& part) -> Result<void> {
        if (auto fits = count(part); !fits) return fits;
        return part.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
            if (name != "text") return {};
            if (auto text = store(field.escaped(), text_escaped); !text) return text;
            if (texts++ > 0) joined += R"(\n\n)";
            joined += text_escaped;
            return {};
        });
    });
    if (!read) return read;
    if (texts > 1) text_escaped = request_.keep(std::move(joined));
    return {};
}

Result<void> InputItems::read_more_tools(Value& item) {
    return item.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "tools" ? read_tool_list(field, request_, tools_) : Result<void>();
    });
}

Result<void> InputItems::add_tools() {
    std::set<std::string> names;
    for (const chat::Tool& tool : request_.tools)
        if (tool.kind != chat::Tool::Kind::provider && !names.insert(tool.name).second)
            return fail_at(ErrorKind::tool_schema_invalid, "tools",
                           fmt::format("tools has two of the name {}", in_quotes(tool.name)));
    // The same one may be brought by several items.
    for (chat::Tool& tool : tools_)
        if (tool.kind == chat::Tool::Kind::provider || names.insert(tool.name).second)
            request_.tools.push_back(std::move(tool));
    return {};
}

}  // namespace runnel::api::responses
