#include "tools/mcp/param_headers.hpp"

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "http/message/headers.hpp"
#include "json/fields.hpp"
#include "json/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace runnel::tools::mcp {
namespace {

constexpr std::string_view mark_key = "x-mcp-header";
constexpr std::string_view encoded_begin = "=?base64?", encoded_end = "?=";

bool is_token(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return ascii::is_alphanumeric(c) || marks.contains(c);
    });
}

// Values, not schemas: what looks like a mark in them is none.
bool holds_values(std::string_view key) {
    return key == "default" || key == "const" || key == "enum" || key == "examples" ||
           key == "required";
}

// Walks a schema. A mark counts where a chain of `properties` leads to it, and is a mistake
// anywhere else.
class Search {
public:
    enum class Reach { by_properties, otherwise };

    void visit(json::ondemand::value schema, Reach reach) {
        std::string type;
        std::optional<std::string> mark;
        json::ondemand::array array;
        if (!schema.get_array().get(array)) {
            for (auto element : array)
                if (json::ondemand::value value; !element.get(value))
                    visit(value, Reach::otherwise);
            return;
        }
        (void)json::for_each_field(schema, [&](std::string_view key, json::ondemand::value value) {
            if (key == mark_key) {
                mark.emplace();
                json::plain_string(value, *mark);
            } else if (key == "type") {
                json::plain_string(value, type);
            } else if (key == "properties") {
                visit_properties(value, reach);
            } else if (!holds_values(key)) {
                visit(value, Reach::otherwise);
            }
        });
        if (mark) take(*mark, type, reach);
    }

    Result<std::vector<ParamHeader>> result() && {
        if (!fault_.empty()) return fail(ErrorKind::tool_schema_invalid, std::move(fault_));
        return std::move(found_);
    }

private:
    void visit_properties(json::ondemand::value properties, Reach reach) {
        (void)json::for_each_field(properties,
                                   [&](std::string_view name, json::ondemand::value value) {
                                       path_.push_back(json::unescaped(name));
                                       visit(value, reach);
                                       path_.pop_back();
                                   });
    }

    void take(const std::string& mark, std::string_view type, Reach reach) {
        ParamHeader header{path_, "Mcp-Param-" + mark};
        const bool primitive = type == "string" || type == "integer" || type == "boolean";
        const bool taken = std::ranges::any_of(found_, [&](const ParamHeader& other) {
            return ascii::equal_ignoring_case(other.name, header.name);
        });
        if (reach != Reach::by_properties || path_.empty()) {
            fault_ = fmt::format("its {} is in a place that no argument has", mark_key);
        } else if (!is_token(mark)) {
            fault_ = fmt::format("its {} is no name for a header", mark_key);
        } else if (!primitive) {
            fault_ = fmt::format("its {} is on a parameter that is no string, integer or boolean",
                                 mark_key);
        } else if (taken) {
            fault_ = fmt::format("its {} '{}' is there twice", mark_key, mark);
        } else {
            found_.push_back(std::move(header));
        }
    }

    std::vector<std::string> path_;
    std::vector<ParamHeader> found_;
    std::string fault_;
};

bool scalar_text(json::ondemand::value value, std::string& out) {
    bool flag = false;
    std::int64_t number = 0;
    if (json::plain_string(value, out)) return true;
    if (json::integer(value, number)) {
        out = std::to_string(number);
        return true;
    }
    if (value.get_bool().get(flag)) return false;
    out = flag ? "true" : "false";
    return true;
}

// The values at the paths, in one walk through the arguments.
void visit_arguments(json::ondemand::value value, std::vector<std::string>& path,
                     const std::vector<ParamHeader>& params, std::vector<HeaderField>& out) {
    (void)json::for_each_field(value, [&](std::string_view name, json::ondemand::value field) {
        path.push_back(json::unescaped(name));
        const auto param = std::ranges::find(params, path, &ParamHeader::path);
        std::string text;
        if (param == params.end()) {
            visit_arguments(field, path, params, out);
        } else if (scalar_text(field, text)) {
            out.push_back({param->name, header_value(text)});
        }
        path.pop_back();
    });
}

}  // namespace

Result<std::vector<ParamHeader>> find_param_headers(json::Parser* parser, std::string schema_json) {
    json::ondemand::document document;
    json::ondemand::value root;
    if (parser->parse(Padded::of(schema_json), document) || document.get_value().get(root))
        return fail(ErrorKind::tool_schema_invalid, "its schema can't be read");
    Search search;
    search.visit(root, Search::Reach::by_properties);
    return std::move(search).result();
}

void append_param_headers(json::Parser* parser, const std::vector<ParamHeader>& params,
                          std::string arguments_json, std::vector<HeaderField>& out) {
    json::ondemand::document document;
    json::ondemand::value root;
    if (params.empty() || parser->parse(Padded::of(arguments_json), document) ||
        document.get_value().get(root))
        return;
    std::vector<std::string> path;
    visit_arguments(root, path, params, out);
}

std::string header_value(std::string_view value) {
    const bool plain =
        std::ranges::all_of(value, [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const bool padded = !value.empty() && (is_blank(value.front()) || is_blank(value.back()));
    const bool framed = value.starts_with(encoded_begin) && value.ends_with(encoded_end);
    if (plain && !padded && !framed) return std::string(value);
    return fmt::format("{}{}{}", encoded_begin, base64(value), encoded_end);
}

}  // namespace runnel::tools::mcp
