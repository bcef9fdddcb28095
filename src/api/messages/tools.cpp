#include "api/messages/tools.hpp"

#include "api/tool_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::api::messages {
namespace {

using chat::Tool;
using chat::ToolChoice;

constexpr auto bad_tool = ErrorKind::tool_schema_invalid;
constexpr auto bad_choice = ErrorKind::tool_choice_invalid;

Result<void> read_function_tool(Value& value, Tool& tool, chat::Request& request) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name" || name == "type") return {};
        if (name == "description") return store(field.escaped(), tool.description_escaped);
        if (name == "input_schema") return store(field.schema(bad_tool), tool.parameters_raw);
        if (name == "strict") return store(field.boolean(), tool.strict);
        if (name == "cache_control") return read_cache_mark(field, tool.cache);
        return keep_extra(field, request, tool.extras);
    });
    if (!read) return read;
    if (tool.parameters_raw.empty()) return value.needs("input_schema", bad_tool);
    return {};
}

Result<void> read_any_tool(Value& value, chat::Request& request) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    Tool tool;
    tool.name = value.text_of("name");
    tool.type = value.text_of("type");
    if (tool.type.empty() || tool.type == "custom") {
        tool.type.clear();
        if (!is_tool_name(tool.name))
            return value.wrong(
                fmt::format("has the name {}; it must be 1 to {} letters, digits or any of {}",
                            in_quotes(tool.name), tool_name_bytes_max, tool_name_marks),
                bad_tool);
        if (auto read = read_function_tool(value, tool, request); !read) return read;
    } else {
        tool.kind = Tool::Kind::provider;
        tool.raw = value.raw();
    }
    request.tools.push_back(std::move(tool));
    return {};
}

// Names are looked up one by one only where there are few.
Result<void> check_names(const Value& tools, const chat::Request& request) {
    std::vector<std::string_view> names;
    for (const Tool& tool : request.tools)
        if (tool.kind == Tool::Kind::function) names.push_back(tool.name);
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) == names.end()) return {};
    return tools.wrong("Tool names must be unique.", bad_tool);
}

}  // namespace

Result<void> read_tools(Value& value, chat::Request& request) {
    if (!value.is_array()) return value.must_be("an array", bad_tool);
    auto read = value.for_each_element([&](std::size_t index, Value& tool) -> Result<void> {
        if (index == tools_max)
            return value.wrong(fmt::format("has more than {} tools", tools_max), bad_tool);
        return read_any_tool(tool, request);
    });
    return read ? check_names(value, request) : read;
}

Result<void> read_tool_choice(Value& value, chat::Request& request) {
    ToolChoice& choice = request.tool_choice;
    if (!value.is_object()) return value.must_be("an object", bad_choice);
    const std::string type = value.text_of("type");
    if (type == "auto") {
        choice.kind = ToolChoice::Kind::automatic;
    } else if (type == "any") {
        choice.kind = ToolChoice::Kind::required;
    } else if (type == "none") {
        choice.kind = ToolChoice::Kind::none;
    } else if (type == "tool") {
        choice.kind = ToolChoice::Kind::named;
        choice.name = value.text_of("name");
        if (choice.name.empty()) return value.needs("name", bad_choice);
    } else {
        return value.wrong(fmt::format("has the type {}; it must be one of auto, any, tool, none",
                                       in_quotes(type)),
                           bad_choice);
    }
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "disable_parallel_tool_use") return {};
        auto disabled = field.boolean();
        if (!disabled) return propagate(disabled);
        request.parallel_tool_calls = !*disabled;
        return {};
    });
}

Result<void> check_tool_choice(const chat::Request& request) {
    const ToolChoice& choice = request.tool_choice;
    if (choice.kind == ToolChoice::Kind::required && request.tools.empty())
        return fail_at(bad_choice, "tool_choice",
                       "tool_choice: a tool must be called, but the request has no tools");
    if (choice.kind != ToolChoice::Kind::named ||
        std::ranges::find(request.tools, choice.name, &Tool::name) != request.tools.end())
        return {};
    return fail_at(bad_choice, "tool_choice",
                   fmt::format("Tool {} not found in provided tools", in_quotes(choice.name)));
}

}  // namespace runnel::api::messages
