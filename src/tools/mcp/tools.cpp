#include "tools/mcp/tools.hpp"

#include "base/ascii.hpp"
#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "json/fields.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::tools::mcp {

struct ToolList::Found {
    std::string name;
    std::string title;
    std::string description;
    std::string schema_json;
};

namespace {

// MCP allows dots and 128 characters; OpenAI has neither.
std::string name_for_models(std::string_view name) {
    std::string out(name.substr(0, limits::tool_name_bytes));
    for (char& c : out) {
        const bool fine = ascii::is_alphanumeric(c) || c == '_' || c == '-';
        if (!fine) c = '_';
    }
    return out;
}

// The schema as models are shown it: an object's, without its $schema. An error where it is none.
Result<std::string> parameters_of(json::Parser* parser, std::string schema_json) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (schema_json.empty()) return fail(ErrorKind::tool_schema_invalid, "it has no inputSchema");
    if (parser->parse(Padded::of(schema_json), document) || document.get_object().get(root))
        return fail(ErrorKind::tool_schema_invalid, "its inputSchema is not an object");
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    std::string type;
    const auto unreadable =
        json::for_each_field(root, [&](std::string_view key, json::ondemand::value value) {
            std::string_view raw;
            if (key == "$schema" || !json::raw_value(value, raw)) return;
            if (key == "type") type = raw;
            std::string compact;
            json::append_compact(compact, raw);
            writer.key(json::unescaped(key)).raw(compact);
        });
    if (unreadable) return fail(ErrorKind::tool_schema_invalid, "its inputSchema can't be read");
    if (type.empty()) writer.key("type").string("object");
    writer.end_object();
    if (!type.empty() && type != R"("object")")
        return fail(ErrorKind::tool_schema_invalid,
                    fmt::format("its inputSchema is of type {}, not object", type));
    if (out.size() > limits::tool_schema_bytes)
        return fail(ErrorKind::tool_schema_invalid,
                    fmt::format("its inputSchema is larger than {} KiB",
                                limits::tool_schema_bytes / limits::kib));
    return out;
}

}  // namespace

Result<std::string> ToolList::add_page(json::Parser* parser, std::string result_json) {
    json::ondemand::document document;
    json::ondemand::object root;
    if (parser->parse(Padded::of(result_json), document) || document.get_object().get(root))
        return fail(ErrorKind::upstream_malformed, "sent a list of tools that is no object");
    std::string cursor;
    bool listed = false;
    std::vector<Found> page;
    (void)json::for_each_field(root, [&](std::string_view key, json::ondemand::value value) {
        std::int64_t time = 0;
        if (key == "tools") {
            listed = true;
            (void)json::for_each_element(value, [&](json::ondemand::value element) {
                Found& found = page.emplace_back();
                (void)json::for_each_field(
                    element, [&](std::string_view name, json::ondemand::value field) {
                        std::string_view raw;
                        if (name == "name") json::plain_string(field, found.name);
                        if (name == "title") json::plain_string(field, found.title);
                        if (name == "description") json::plain_string(field, found.description);
                        if (name == "inputSchema" && json::raw_value(field, raw))
                            found.schema_json = raw;
                    });
            });
        } else if (key == "nextCursor") {
            json::plain_string(value, cursor);
        } else if (key == "ttlMs" && json::integer(value, time) && time > 0) {
            const std::chrono::milliseconds lives(time);
            time_to_live_ = std::min(lives, time_to_live_.value_or(lives));
        }
    });
    if (!listed) return fail(ErrorKind::upstream_malformed, "sent a list of tools without tools");
    for (Found& found : page) add(parser, std::move(found));
    if (++pages_ < limits::tool_list_pages || cursor.empty()) return cursor;
    warnings_.push_back(fmt::format("its list has more than {} pages; the rest is left out",
                                    limits::tool_list_pages));
    return std::string();
}

void ToolList::add(json::Parser* parser, Found found) {
    if (!allow_.empty() && std::ranges::find(allow_, found.name) == allow_.end()) return;
    if (tools_.size() == limits::tools) {
        ++too_many_;
        return;
    }
    const auto leave_out = [&](std::string_view why) {
        warnings_.push_back(fmt::format("the tool '{}' is left out: {}",
                                        with_valid_utf8(utf8_prefix(found.name, 128)), why));
    };
    Tool tool{{name_for_models(found.name), {}, {}}, found.name, {}};
    if (found.name.empty()) return leave_out("it has no name");
    if (std::ranges::any_of(tools_, [&](const Tool& t) { return t.spec.name == tool.spec.name; }))
        return leave_out(fmt::format("'{}' is there twice", tool.spec.name));
    auto parameters = parameters_of(parser, found.schema_json);
    if (!parameters) return leave_out(parameters.error().message);
    auto headers = find_param_headers(parser, std::move(found.schema_json));
    if (!headers) return leave_out(headers.error().message);
    tool.spec.description = found.description.empty() ? found.title : found.description;
    tool.spec.description = utf8_prefix(tool.spec.description, limits::tool_description_bytes);
    tool.spec.parameters_json = std::move(*parameters);
    tool.headers = std::move(*headers);
    tools_.push_back(std::move(tool));
}

void ToolList::finish() {
    if (too_many_ > 0)
        warnings_.push_back(fmt::format(
            "it has more than {} tools; {} are left out: name those you need in `allow`",
            limits::tools, too_many_));
    for (const std::string& wanted : allow_)
        if (std::ranges::find(tools_, wanted, &Tool::name) == tools_.end())
            warnings_.push_back(fmt::format("`allow` names '{}', which it does not offer", wanted));
}

}  // namespace runnel::tools::mcp
