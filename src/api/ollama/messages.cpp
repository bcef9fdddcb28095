#include "api/ollama/messages.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace runnel::api::ollama {
namespace {

using chat::Message;
using chat::Role;

// Of all messages together: each takes ten times the memory of the fewest bytes that make it.
constexpr std::size_t parts_max = 40'000;

std::optional<Role> role_named(std::string_view name) {
    for (const Role role : {Role::system, Role::developer, Role::user, Role::assistant, Role::tool})
        if (name == chat::name_of(role)) return role;
    return std::nullopt;
}

// By the first bytes, which in base64 are the same for all of a kind.
std::string_view image_type(std::string_view base64_escaped) {
    constexpr std::size_t first = 16;
    constexpr std::pair<std::string_view, std::string_view> types[] = {{"iVBORw0KGgo", "image/png"},
                                                                       {"/9j/", "image/jpeg"},
                                                                       {"R0lGOD", "image/gif"},
                                                                       {"UklGR", "image/webp"}};
    const std::string begin = json::unescaped(base64_escaped.substr(0, first));
    for (const auto& [bytes, type] : types)
        if (begin.starts_with(bytes)) return type;
    return {};
}

}  // namespace

Result<void> Messages::read(Value& messages) {
    if (!messages.is_array()) return messages.must_be("an array");
    return messages.for_each_element(
        [&](std::size_t, Value& message) { return read_message(message); });
}

Result<void> Messages::count(const Value& part) {
    if (++parts_ <= parts_max) return {};
    return part.wrong(
        fmt::format("is one part too many: all messages together may have {}", parts_max));
}

Result<void> Messages::read_message(Value& value) {
    if (auto fits = count(value); !fits) return fits;
    if (!value.is_object()) return value.must_be("an object");
    Fields fields;
    fields.message.form = Message::Form::string;
    fields.role = value.text_of("role");
    if (fields.role.empty()) return value.needs("role");
    const auto role = role_named(fields.role);
    if (!role)
        return value.wrong(
            fmt::format("has the role {}; it must be one of system, user, assistant, tool",
                        in_quotes(fields.role)));
    Message& message = fields.message;
    message.role = *role;
    auto read = value.for_each_field(
        [&](std::string_view name, Value& field) { return read_field(name, field, fields); });
    if (!read) return read;
    std::vector<chat::Part> words;
    if (!fields.thinking.empty() && *role == Role::assistant)
        words.push_back({chat::Reasoning{.text_escaped = fields.thinking}});
    if (!fields.content.empty() || message.parts.empty())
        words.push_back({chat::Text{fields.content}});
    message.parts.insert(message.parts.begin(), std::make_move_iterator(words.begin()),
                         std::make_move_iterator(words.end()));
    if (*role == Role::tool)
        if (auto found = find_call(value, fields); !found) return found;
    request_.messages.push_back(std::move(message));
    return {};
}

Result<void> Messages::read_field(std::string_view name, Value& field, Fields& fields) {
    if (name == "content") return store(field.escaped(), fields.content);
    if (name == "thinking") return store(field.escaped(), fields.thinking);
    if (name == "images") return read_images(field, fields.message);
    if (name == "tool_name" || name == "name") return store(field.text(), fields.tool_name);
    if (name == "tool_call_id") return store(field.text(), fields.message.tool_call_id);
    if (name == "tool_calls" && fields.message.role == Role::assistant)
        return read_calls(field, fields.message);
    return {};
}

Result<void> Messages::read_images(Value& images, Message& message) {
    if (!images.is_array()) return images.must_be("an array of images in base64");
    return images.for_each_element([&](std::size_t, Value& element) -> Result<void> {
        if (auto fits = count(element); !fits) return fits;
        auto data = element.escaped();
        if (!data) return propagate(data);
        chat::Source source = chat::source_of_url(*data);
        if (source.data_escaped.empty())
            source = {.data_escaped = *data, .media_type_escaped = image_type(*data)};
        if (source.media_type_escaped.empty())
            return element.wrong("is no PNG, JPEG, GIF or WebP image in base64");
        message.parts.push_back({chat::Image{.source = source}});
        return {};
    });
}

Result<void> Messages::read_calls(Value& calls, Message& message) {
    if (!calls.is_array()) return calls.must_be("an array");
    return calls.for_each_element([&](std::size_t, Value& value) -> Result<void> {
        if (auto fits = count(value); !fits) return fits;
        chat::ToolCall call;
        if (auto read = read_call(value, call); !read) return read;
        // As long as the ids that the gateway gives to calls without one.
        if (call.id.empty()) call.id = fmt::format("call_{:024}", ++minted_);
        calls_.insert(call.id);
        if (open_.insert(call.id).second) {
            ids_.push_back(call.id);
            ids_by_name_[call.name].push_back(call.id);
        }
        message.parts.push_back({std::move(call)});
        return {};
    });
}

Result<void> Messages::read_call(Value& value, chat::ToolCall& call) {
    if (!value.is_object()) return value.must_be("an object");
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "id") return store(field.text(), call.id);
        if (name != "function") return {};
        return field.for_each_field([&](std::string_view part, Value& said) -> Result<void> {
            if (part == "name") return store(said.text(), call.name);
            if (part != "arguments") return {};
            if (said.is_string()) return store(said.escaped(), call.arguments_escaped);
            if (!said.is_object()) return said.must_be("an object");
            call.arguments_raw = said.raw();
            return {};
        });
    });
    if (!read) return read;
    if (call.name.empty()) return value.needs("function.name");
    return {};
}

Result<void> Messages::find_call(const Value& value, Fields& fields) {
    Message& message = fields.message;
    message.tool_call_id = answered_call(message.tool_call_id, fields.tool_name);
    if (!message.tool_call_id.empty()) return {};
    return value.wrong("answers no tool call of an earlier message",
                       ErrorKind::tool_call_id_mismatch);
}

std::string Messages::answered_call(const std::string& id, const std::string& name) {
    if (calls_.contains(id)) {
        open_.erase(id);
        return id;
    }
    const auto named = ids_by_name_.find(name);
    return first_open(named == ids_by_name_.end() ? ids_ : named->second);
}

std::string Messages::first_open(std::deque<std::string>& ids) {
    while (!ids.empty()) {
        std::string next = std::move(ids.front());
        ids.pop_front();
        if (open_.erase(next) > 0) return next;
    }
    return {};
}

}  // namespace runnel::api::ollama
