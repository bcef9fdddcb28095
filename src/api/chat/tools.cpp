#include "api/chat/tools.hpp"

#include "api/tool_names.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::api {
namespace {

using chat::Tool;
using chat::ToolChoice;

constexpr auto bad_tool = ErrorKind::tool_schema_invalid;
constexpr auto bad_choice = ErrorKind::tool_choice_invalid;

Result<void> read_name(Value& value, Tool& tool, const chat::Request& request) {
    if (!value.is_string()) return value.must_be("a string", bad_tool);
    tool.name = *value.text();
    if (!is_tool_name(tool.name))
        return value.wrong(fmt::format("is {}; it must be 1 to {} letters, digits or any of {}",
                                       in_quotes(tool.name), tool_name_bytes_max, tool_name_marks),
                           bad_tool);
    if (std::ranges::find(request.tools, tool.name, &Tool::name) != request.tools.end())
        return value.wrong(fmt::format("is \"{}\", as is an earlier tool's", tool.name), bad_tool);
    return {};
}

Result<void> read_parameters(Value& value, Tool& tool) {
    auto schema = value.schema(bad_tool);
    if (!schema) return propagate(schema);
    bool empty = true;
    bool is_object_schema = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        empty = false;
        if (name == "type") is_object_schema = field.raw() == R"("object")";
        return {};
    });
    if (!read) return read;
    if (empty) return {};  // takes nothing, like no parameters at all
    if (!is_object_schema)
        return value.wrong(R"(must be a JSON Schema whose root has "type":"object")", bad_tool);
    tool.parameters_raw = *schema;
    return {};
}

// A function as `tools[].function` and `functions[]` describe it; a custom tool likewise.
Result<void> read_function(Value& value, Tool& tool, chat::Request& request) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name") return read_name(field, tool, request);
        if (name == "description") return store(field.escaped(), tool.description_escaped);
        if (name == "parameters") return read_parameters(field, tool);
        if (name == "strict") return store(field.boolean(), tool.strict);
        if (name == "cache_control") return read_cache_mark(field, tool.cache);
        if (name == "format" && tool.kind == Tool::Kind::custom) {
            tool.format_raw = field.raw();
            return {};
        }
        return keep_extra(field, request, tool.extras);
    });
    if (!read) return read;
    if (tool.name.empty()) return value.needs("name", bad_tool);
    return {};
}

Result<void> check_count(Value& tools, std::size_t index) {
    if (index < tools_max) return {};
    return tools.wrong(fmt::format("has more than {} tools", tools_max), bad_tool);
}

Result<void> read_tool(Value& value, chat::Request& request) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type", bad_tool);
    if (type != "function" && type != "custom")
        return fail_at(bad_tool, value.place() + ".type",
                       fmt::format("{}.type is {}; it must be \"function\" or \"custom\"",
                                   value.place(), in_quotes(type)));
    Tool tool;
    tool.kind = type == "custom" ? Tool::Kind::custom : Tool::Kind::function;
    bool described = false;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "cache_control") return read_cache_mark(field, tool.cache);
        if (name == "type") return {};
        if (name != type) return keep_extra(field, request, tool.extras);
        described = true;
        return read_function(field, tool, request);
    });
    if (!read) return read;
    if (!described) return value.needs(type, bad_tool);
    request.tools.push_back(std::move(tool));
    return {};
}

// The name inside {"type":"function","function":{"name":…}}, also for custom tools.
Result<void> read_chosen_name(Value& value, std::string& name) {
    const std::string type = value.text_of("type");
    auto read = value.for_each_field([&](std::string_view field, Value& inner) -> Result<void> {
        if (field != type || !inner.is_object()) return {};
        name = inner.text_of("name");
        return {};
    });
    if (!read) return read;
    if (name.empty())
        return value.wrong(R"(must name a tool, like {"type":"function","function":{"name":"…"}})",
                           bad_choice);
    return {};
}

Result<void> read_allowed(Value& value, ToolChoice& choice) {
    if (!value.is_object()) return value.must_be("an object", bad_choice);
    choice.kind = ToolChoice::Kind::allowed;
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "mode") {
            const bool required = field.raw() == R"("required")";
            if (!required && field.raw() != R"("auto")")
                return field.wrong("must be \"auto\" or \"required\"", bad_choice);
            if (required) choice.allowed_mode = ToolChoice::Mode::required;
            return {};
        }
        if (name != "tools") return {};
        if (!field.is_array()) return field.must_be("an array", bad_choice);
        return field.for_each_element([&](std::size_t index, Value& tool) -> Result<void> {
            if (index == tools_max)
                return field.wrong(fmt::format("has more than {} tools", tools_max), bad_choice);
            if (!tool.is_object()) return tool.must_be("an object", bad_choice);
            return read_chosen_name(tool, choice.allowed.emplace_back());
        });
    });
    if (!read) return read;
    if (choice.allowed.empty()) return value.needs("tools", bad_choice);
    return {};
}

Result<void> read_choice_word(Value& value, ToolChoice& choice) {
    const std::string word = *value.text();
    if (word == "auto")
        choice.kind = ToolChoice::Kind::automatic;
    else if (word == "none")
        choice.kind = ToolChoice::Kind::none;
    else if (word == "required")
        choice.kind = ToolChoice::Kind::required;
    else
        return value.wrong(
            fmt::format("is {}; it must be \"auto\", \"none\", \"required\" or an object",
                        in_quotes(word)),
            bad_choice);
    return {};
}

}  // namespace

Result<void> read_tools(Value& value, chat::Request& request) {
    if (!value.is_array()) return value.must_be("an array", bad_tool);
    return value.for_each_element([&](std::size_t index, Value& tool) -> Result<void> {
        if (auto fits = check_count(value, index); !fits) return fits;
        return read_tool(tool, request);
    });
}

Result<void> read_functions(Value& value, chat::Request& request) {
    if (!value.is_array()) return value.must_be("an array", bad_tool);
    return value.for_each_element([&](std::size_t index, Value& function) -> Result<void> {
        if (auto fits = check_count(value, index); !fits) return fits;
        Tool tool;
        if (auto read = read_function(function, tool, request); !read) return read;
        request.tools.push_back(std::move(tool));
        return {};
    });
}

Result<void> read_tool_choice(Value& value, ToolChoice& choice) {
    if (value.is_string()) return read_choice_word(value, choice);
    if (!value.is_object()) return value.must_be("a string or an object", bad_choice);
    const std::string type = value.text_of("type");
    if (type == "function" || type == "custom") {
        choice.kind = ToolChoice::Kind::named;
        return read_chosen_name(value, choice.name);
    }
    if (type != "allowed_tools")
        return value.wrong(
            "must have the type \"function\", \"custom\" or \"allowed_tools\", or be a string",
            bad_choice);
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == type ? read_allowed(field, choice) : Result<void>();
    });
    if (!read) return read;
    if (choice.kind != ToolChoice::Kind::allowed) return value.needs(type, bad_choice);
    return {};
}

Result<void> read_function_choice(Value& value, ToolChoice& choice) {
    if (value.is_string()) return read_choice_word(value, choice);
    if (!value.is_object()) return value.must_be("a string or an object", bad_choice);
    choice.name = value.text_of("name");
    if (choice.name.empty()) return value.needs("name", bad_choice);
    choice.kind = ToolChoice::Kind::named;
    return {};
}

Result<void> read_builtin_tools(Value& value, std::vector<std::string>& names) {
    if (!value.is_object()) return value.must_be("an object with tools, an array of their names");
    return value.for_each_field([&](std::string_view field, Value& written) -> Result<void> {
        if (field == "options" && !written.is_object()) return written.must_be("an object");
        if (field != "tools") return {};
        if (!written.is_array()) return written.must_be("an array of names of tools");
        return written.for_each_element([&](std::size_t, Value& element) -> Result<void> {
            auto name = element.text();
            if (!name) return propagate(name);
            if (names.size() == limits::tools)
                return written.wrong(fmt::format("has more than {} names", limits::tools));
            names.push_back(std::move(*name));
            return {};
        });
    });
}

Result<void> check_tool_choice(const chat::Request& request) {
    const auto& written = request.field_names;
    const std::string_view field = std::ranges::find(written, "function_call") != written.end()
                                       ? "function_call"
                                       : "tool_choice";
    const ToolChoice& choice = request.tool_choice;
    const auto check = [&](const std::string& name) -> Result<void> {
        if (std::ranges::find(request.tools, name, &Tool::name) != request.tools.end()) return {};
        return fail_at(bad_choice, std::string(field),
                       fmt::format("{} names the tool {}, which is not among the request's tools",
                                   field, in_quotes(name)));
    };
    if (choice.kind == ToolChoice::Kind::named) return check(choice.name);
    for (const std::string& name : choice.allowed)
        if (auto found = check(name); !found) return found;
    if (choice.kind == ToolChoice::Kind::required && request.tools.empty())
        return fail_at(bad_choice, std::string(field),
                       fmt::format("{} is \"required\", but the request has no tools", field));
    return {};
}

}  // namespace runnel::api
