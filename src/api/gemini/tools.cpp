#include "api/gemini/tools.hpp"

#include "api/gemini/schema.hpp"
#include "api/gemini/spelling.hpp"
#include "api/tool_names.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace runnel::api::gemini {
namespace {

using chat::Tool;
using chat::ToolChoice;

constexpr auto bad_tool = ErrorKind::tool_schema_invalid;
constexpr auto bad_choice = ErrorKind::tool_choice_invalid;

}  // namespace

Result<void> Tools::read(Value& tools) {
    auto read = for_one_or_each(tools, [&](std::size_t, Value& tool) { return read_tool(tool); });
    return read ? check_names(tools) : read;
}

Result<void> Tools::read_tool(Value& value) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    return for_each_named_field(value, [&](std::string_view name, Value& field) -> Result<void> {
        if (name == "functionDeclarations")
            return for_one_or_each(
                field, [&](std::size_t, Value& function) { return read_function(function); });
        Tool tool{.kind = Tool::Kind::provider, .type = std::string(name)};
        std::string raw;
        json::Writer(raw).begin_object().key(name).raw(field.raw()).end_object();
        tool.raw = request_.keep(std::move(raw));
        return add(field, std::move(tool));
    });
}

Result<void> Tools::read_function(Value& value) {
    if (!value.is_object()) return value.must_be("an object", bad_tool);
    Tool tool;
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        return read_function_field(name, field, tool);
    });
    if (!read) return read;
    if (tool.name.empty()) return value.needs("name", bad_tool);
    if (!is_tool_name(tool.name))
        return value.wrong(
            fmt::format("has the name {}; it must be 1 to {} letters, digits or any of {}",
                        in_quotes(tool.name), tool_name_bytes_max, tool_name_marks),
            bad_tool);
    return add(value, std::move(tool));
}

Result<void> Tools::read_function_field(std::string_view name, Value& field, Tool& tool) {
    if (name == "name") return store(field.text(), tool.name);
    if (name == "description") return store(field.escaped(), tool.description_escaped);
    if (name == "parametersJsonSchema") return store(field.schema(bad_tool), tool.parameters_raw);
    if (name != "parameters") return keep_named(name, field, request_, tool.extras);
    auto schema = field.schema(bad_tool);
    if (!schema) return propagate(schema);
    tool.parameters_raw = request_.keep(json_schema(*schema));
    return {};
}

Result<void> Tools::add(const Value& value, Tool tool) {
    if (request_.tools.size() == tools_max)
        return value.wrong(fmt::format("is one tool too many: there may be {}", tools_max),
                           bad_tool);
    request_.tools.push_back(std::move(tool));
    return {};
}

Result<void> Tools::check_names(const Value& tools) const {
    std::set<std::string_view> names;
    for (const Tool& tool : request_.tools)
        if (tool.kind == Tool::Kind::function && !names.insert(tool.name).second)
            return tools.wrong(
                fmt::format("has a duplicate function declaration: {}", in_quotes(tool.name)),
                bad_tool);
    return {};
}

Result<void> Tools::read_config(Value& config) {
    if (!config.is_object()) return config.must_be("an object", bad_choice);
    bool has_choice = false;
    auto read = for_each_named_field(config, [&](std::string_view name, Value& field) {
        if (name != "functionCallingConfig") return Result<void>();
        has_choice = true;
        return read_choice(field);
    });
    if (!read || has_choice) return read;
    return keep_named("toolConfig", config, request_, request_.extras);
}

Result<void> Tools::read_choice(Value& value) {
    if (!value.is_object()) return value.must_be("an object", bad_choice);
    std::string mode;
    std::vector<std::string> names;
    auto read = for_each_named_field(value, [&](std::string_view name, Value& field) {
        if (name == "mode") return store(field.text(), mode);
        if (name != "allowedFunctionNames") return Result<void>();
        names.clear();
        return field.for_each_element([&](std::size_t index, Value& element) -> Result<void> {
            if (index == tools_max)
                return field.wrong(fmt::format("has more than {} names", tools_max), bad_choice);
            return store(element.text(), names.emplace_back());
        });
    });
    if (!read) return read;
    ToolChoice choice;
    if (mode == "NONE") {
        choice.kind = ToolChoice::Kind::none;
    } else if (mode == "ANY" || mode == "VALIDATED") {
        const bool must = mode == "ANY";
        choice.kind = must ? ToolChoice::Kind::required : ToolChoice::Kind::automatic;
        if (must && names.size() == 1) {
            choice.kind = ToolChoice::Kind::named;
            choice.name = std::move(names.front());
        } else if (!names.empty()) {
            choice.kind = ToolChoice::Kind::allowed;
            choice.allowed = std::move(names);
            choice.allowed_mode = must ? ToolChoice::Mode::required : ToolChoice::Mode::automatic;
        }
    } else if (mode == "AUTO") {
        choice.kind = ToolChoice::Kind::automatic;
    } else if (!mode.empty() && mode != "MODE_UNSPECIFIED") {
        return value.wrong(fmt::format("has the mode {}; it must be one of AUTO, ANY, NONE, "
                                       "VALIDATED",
                                       in_quotes(mode)),
                           bad_choice);
    }
    request_.tool_choice = std::move(choice);
    return {};
}

Result<void> check_tool_choice(const chat::Request& request) {
    constexpr std::string_view place = "toolConfig.functionCallingConfig";
    const ToolChoice& choice = request.tool_choice;
    std::set<std::string_view> names;
    for (const Tool& tool : request.tools)
        if (tool.kind != Tool::Kind::provider) names.insert(tool.name);
    if (choice.kind == ToolChoice::Kind::required && names.empty())
        return fail_at(bad_choice, std::string(place),
                       "a function must be called, but the request declares none");
    const auto check = [&](const std::string& name) -> Result<void> {
        if (names.contains(name)) return {};
        return fail_at(
            bad_choice, fmt::format("{}.allowedFunctionNames", place),
            fmt::format("allowedFunctionNames has {}, which is not declared", in_quotes(name)));
    };
    if (choice.kind == ToolChoice::Kind::named) return check(choice.name);
    for (const std::string& name : choice.allowed)
        if (auto declared = check(name); !declared) return declared;
    return {};
}

}  // namespace runnel::api::gemini
