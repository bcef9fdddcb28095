#include "api/responses/tools.hpp"

#include "api/tool_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runnel::api::responses {
namespace {

using chat::Tool;
using chat::ToolChoice;

constexpr auto bad_tool = ErrorKind::tool_schema_invalid;
constexpr auto bad_choice = ErrorKind::tool_choice_invalid;

constexpr std::string_view between = "__";  // the names of a group and its tool

// What a group says of itself, as extras of its tools. The views are JSON strings.
struct Group {
    std::string name{};
    std::string_view name_raw{};
    std::string_view description_raw{};
};

Result<void> check_name(const Value& value, std::string_view name) {
    if (is_tool_name(name)) return {};
    return value.wrong(
        fmt::format("has the name {}; it must be 1 to {} letters, digits or any of {}",
                    in_quotes(name), tool_name_bytes_max, tool_name_marks),
        bad_tool);
}

Result<void> read_parameters(Value& value, Tool& tool) {
    auto schema = value.schema(bad_tool);
    if (!schema) return propagate(schema);
    bool empty = true;
    auto read = value.for_each_field([&](std::string_view, Value&) -> Result<void> {
        empty = false;
        return {};
    });
    if (!empty) tool.parameters_raw = *schema;
    return read;
}

Result<void> read_described(Value& value, Tool& tool, chat::Request& request) {
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "name" || name == "type") return {};
        // Said of its group alone.
        if (name == "namespace" || name == "namespace_description") return {};
        if (name == "description") return store(field.escaped(), tool.description_escaped);
        if (name == "parameters") return read_parameters(field, tool);
        if (name == "strict") return store(field.boolean(), tool.strict);
        if (name == "format" && tool.kind == Tool::Kind::custom) {
            tool.format_raw = field.raw();
            return {};
        }
        return keep_extra(field, request, tool.extras);
    });
}

// A function or a custom tool.
Result<void> read_callable(Value& value, const std::string& type, const Group& group,
                           chat::Request& request, std::vector<Tool>& tools) {
    Tool tool;
    tool.kind = type == "custom" ? Tool::Kind::custom : Tool::Kind::function;
    const std::string name = value.text_of("name");
    if (auto checked = check_name(value, name); !checked) return checked;
    tool.name = name_in_group(group.name, name);
    if (!group.name.empty()) tool.extras.push_back({"namespace", group.name_raw});
    if (!group.description_raw.empty())
        tool.extras.push_back({"namespace_description", group.description_raw});
    if (auto read = read_described(value, tool, request); !read) return read;
    tools.push_back(std::move(tool));
    return {};
}

Result<void> check_tool_count(const Value& list, const std::vector<Tool>& tools) {
    if (tools.size() < tools_max) return {};
    return list.wrong(fmt::format("has more than {} tools", tools_max), bad_tool);
}

Result<void> read_grouped(Value& list, const Group& group, chat::Request& request,
                          std::vector<Tool>& tools) {
    if (!list.is_array()) return list.must_be("an array", bad_tool);
    return list.for_each_element([&](std::size_t, Value& value) -> Result<void> {
        if (auto fits = check_tool_count(list, tools); !fits) return fits;
        if (!value.is_object()) return value.must_be("an object", bad_tool);
        const std::string type = value.text_of("type");
        if (type != "function" && type != "custom")
            return value.wrong(
                fmt::format("has the type {}; in a namespace it must be function or custom",
                            in_quotes(type)),
                bad_tool);
        return read_callable(value, type, group, request, tools);
    });
}

Result<void> read_group(Value& value, chat::Request& request, std::vector<Tool>& tools) {
    Group group{.name = value.text_of("name")};
    if (auto checked = check_name(value, group.name); !checked) return checked;
    group.name_raw = request.keep(fmt::format("\"{}\"", group.name));
    auto described = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name != "description") return {};
        if (!field.is_string()) return field.must_be("a string", bad_tool);
        group.description_raw = field.raw();
        return {};
    });
    if (!described) return described;
    return value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        return name == "tools" ? read_grouped(field, group, request, tools) : Result<void>();
    });
}

Result<void> read_any_tool(Value& value, chat::Request& request, std::vector<Tool>& tools) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type", bad_tool);
    if (type == "namespace") return read_group(value, request, tools);
    if (type == "function" || type == "custom")
        return read_callable(value, type, {}, request, tools);
    tools.push_back({.kind = Tool::Kind::provider,
                     .name = value.text_of("name"),
                     .type = std::move(type),
                     .raw = value.raw()});
    return {};
}

Result<void> read_chosen(Value& value, std::string& chosen) {
    const std::string name = value.text_of("name");
    if (name.empty()) return value.needs("name", bad_choice);
    chosen = name_in_group(value.text_of("namespace"), name);
    return {};
}

Result<void> read_allowed_tools(Value& value, ToolChoice& choice) {
    auto read = value.for_each_field([&](std::string_view name, Value& field) -> Result<void> {
        if (name == "mode" && field.raw() == R"("required")")
            choice.allowed_mode = ToolChoice::Mode::required;
        if (name != "tools") return {};
        if (!field.is_array()) return field.must_be("an array", bad_choice);
        return field.for_each_element([&](std::size_t index, Value& tool) -> Result<void> {
            if (index == tools_max)
                return field.wrong(fmt::format("has more than {} tools", tools_max), bad_choice);
            if (!tool.is_object()) return tool.must_be("an object", bad_choice);
            const std::string type = tool.text_of("type");
            // The others are the provider's own.
            if (type != "function" && type != "custom") return {};
            return read_chosen(tool, choice.allowed.emplace_back());
        });
    });
    if (!read) return read;
    choice.kind = ToolChoice::Kind::allowed;
    if (choice.allowed.empty())
        choice.kind = choice.allowed_mode == ToolChoice::Mode::required
                          ? ToolChoice::Kind::required
                          : ToolChoice::Kind::automatic;
    return {};
}

Result<void> read_word_of_choice(const Value& value, ToolChoice& choice) {
    const std::string word = *value.text();
    if (word == "auto") {
        choice.kind = ToolChoice::Kind::automatic;
    } else if (word == "none") {
        choice.kind = ToolChoice::Kind::none;
    } else if (word == "required") {
        choice.kind = ToolChoice::Kind::required;
    } else {
        return value.wrong(
            fmt::format("is {}; it must be \"auto\", \"none\", \"required\" or an object",
                        in_quotes(word)),
            bad_choice);
    }
    return {};
}

std::string_view inside_quotes(std::string_view raw) { return raw.substr(1, raw.size() - 2); }

}  // namespace

Result<void> read_tool_list(Value& value, chat::Request& request, std::vector<Tool>& tools) {
    if (!value.is_array()) return value.must_be("an array", bad_tool);
    return value.for_each_element([&](std::size_t, Value& tool) -> Result<void> {
        if (auto fits = check_tool_count(value, tools); !fits) return fits;
        return read_any_tool(tool, request, tools);
    });
}

// Beside its meaning it is kept as it came: a choice may be of tools that only the provider has.
Result<void> read_choice(Value& value, chat::Request& request) {
    ToolChoice& choice = request.tool_choice;
    if (value.is_string()) return read_word_of_choice(value, choice);
    if (!value.is_object()) return value.must_be("a string or an object", bad_choice);
    if (auto kept = keep_extra(value, request, request.extras); !kept) return kept;
    const std::string type = value.text_of("type");
    if (type.empty()) return value.needs("type", bad_choice);
    if (type == "allowed_tools") return read_allowed_tools(value, choice);
    if (type == "function" || type == "custom") {
        choice.kind = ToolChoice::Kind::named;
        return read_chosen(value, choice.name);
    }
    choice.kind = ToolChoice::Kind::required;
    return {};
}

Result<void> check_choice(const chat::Request& request) {
    const ToolChoice& choice = request.tool_choice;
    const auto check = [&](const std::string& name) -> Result<void> {
        if (std::ranges::find(request.tools, name, &Tool::name) != request.tools.end()) return {};
        return fail_at(
            bad_choice, "tool_choice",
            fmt::format("tool_choice names the tool {}, which is not among the request's tools",
                        in_quotes(name)));
    };
    if (choice.kind == ToolChoice::Kind::named) return check(choice.name);
    for (const std::string& name : choice.allowed)
        if (auto found = check(name); !found) return found;
    if (choice.kind == ToolChoice::Kind::required && request.tools.empty())
        return fail_at(bad_choice, "tool_choice",
                       "tool_choice asks for a call, but the request has no tools");
    return {};
}

std::string name_in_group(std::string_view group, std::string_view name) {
    return group.empty() ? std::string(name) : std::string(group).append(between).append(name);
}

ClientTool as_client_knows(const Tool& tool) {
    ClientTool known{.name = tool.name, .kind = tool.kind};
    const std::string_view group_raw = chat::find(tool.extras, "namespace");
    if (group_raw.empty()) return known;
    known.group = inside_quotes(group_raw);
    known.name.remove_prefix(std::min(known.group.size() + between.size(), known.name.size()));
    return known;
}

ClientTool find_called(const chat::Request* request, std::string_view name) {
    if (request == nullptr) return {.name = name};
    const auto tool = std::ranges::find(request->tools, name, &Tool::name);
    return tool == request->tools.end() ? ClientTool{.name = name} : as_client_knows(*tool);
}

}  // namespace runnel::api::responses
