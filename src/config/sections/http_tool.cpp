#include "base/nearest.hpp"
#include "config/addresses.hpp"
#include "config/sections/sections.hpp"
#include "config/yaml/json_value.hpp"
#include "json/writer.hpp"
#include "tools/url_template.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::config {
namespace {

using tools::HttpToolConfig;
using tools::UrlPiece;

constexpr std::string_view keys_of_http[] = {"url",         "method",     "headers",
                                             "description", "parameters", "callback"};
constexpr std::string_view methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

constexpr std::string_view no_parameters = R"({"type":"object","properties":{}})";

// The same with each placeholder filled in, so that it can be looked at as a URL.
std::string filled_in(std::span<const UrlPiece> pieces) {
    std::string url;
    for (const UrlPiece& piece : pieces)
        url += piece.kind == UrlPiece::Kind::text ? piece.text : "x";
    return url;
}

// The model fills placeholders in, and must not choose whom Runnel talks to.
bool has_fixed_host(std::string_view url) {
    const std::size_t host = url.find("://");
    if (host == std::string_view::npos) return true;
    return !url.substr(host + 3, url.find_first_of("/?", host + 3) - host - 3).contains('{');
}

std::optional<std::string> read_url(const Value& value) {
    auto url = value.text();
    if (!url) return url;
    const auto pieces = tools::split_url_template(*url);
    if (!pieces) {
        value.complain("a placeholder is {name}, with letters, digits, '_' and '-'; write %7B and "
                       "%7D for braces that are none");
    } else if (!has_fixed_host(*url)) {
        value.complain("the host cannot be a placeholder: the model would choose who is asked");
    } else if (!is_web_url(filled_in(*pieces))) {
        value.refuse("a URL such as https://api.example.com/stocks/{symbol}");
    } else {
        return url;
    }
    return std::nullopt;
}

const Entry* find(const std::vector<Entry>& entries, std::string_view key) {
    const auto found = std::ranges::find(entries, key, &Entry::key);
    return found == entries.end() ? nullptr : &*found;
}

// Models are told a schema with type and properties; both may be left out here.
void read_parameters(const Value& value, HttpToolConfig& tool) {
    if (value.node().kind != Node::Kind::map) {
        value.refuse("a JSON Schema of an object, such as {properties: {symbol: {type: string}}}");
        return;
    }
    const auto entries = value.entries();
    if (const Entry* type = find(entries, "type"); type && type->value.node().text != "object") {
        type->value.complain("the arguments of a tool are an object: write type: object, or leave "
                             "it out");
        return;
    }
    if (const Entry* properties = find(entries, "properties");
        properties && properties->value.node().kind != Node::Kind::map) {
        properties->value.refuse("a map from each argument's name to its JSON Schema");
        return;
    }
    tool.parameters_json.clear();
    json::Writer writer(tool.parameters_json);
    writer.begin_object();
    writer.key("type").string("object");
    if (!find(entries, "properties")) writer.key("properties").raw("{}");
    for (const Entry& entry : entries)
        if (entry.key != "type") writer.key(entry.key).raw(json_of(entry.value));
    writer.end_object();
}

// A placeholder that no argument can fill is a slip of the pen.
void check_placeholders(const Value& url, const HttpToolConfig& tool, const Section& section) {
    const auto pieces = tools::split_url_template(tool.url);
    std::vector<std::string> arguments;
    if (const Value* parameters = section.find("parameters"))
        for (const Entry& entry : parameters->entries())
            if (entry.key == "properties")
                for (const Entry& argument : entry.value.entries())
                    arguments.push_back(argument.key);
    const std::vector<std::string_view> names(arguments.begin(), arguments.end());
    for (const UrlPiece& piece : *pieces)
        if (piece.kind == UrlPiece::Kind::placeholder &&
            std::ranges::find(names, piece.text) == names.end())
            url.complain(fmt::format("{{{}}} is not among the parameters' properties{}", piece.text,
                                     did_you_mean(piece.text, names)));
}

}  // namespace

HttpToolConfig read_http_tool(const Value& value) {
    HttpToolConfig tool;
    tool.parameters_json = no_parameters;
    const auto section = value.section(keys_of_http);
    if (!section) return tool;
    const std::size_t problems = value.problem_count();
    const Value* url = section->find("url");
    if (!url) value.complain("url is missing: where the tool is");
    const auto method = [](const Value& written) { return written.one_of(methods); };
    section->read("url", read_url, tool.url);
    section->read("method", method, tool.method);
    section->read("description", &Value::text, tool.description);
    if (const Value* headers = section->find("headers"))
        for (auto& [name, text] : read_headers(*headers))
            tool.headers.emplace_back(name, std::move(text));
    if (const Value* parameters = section->find("parameters")) read_parameters(*parameters, tool);
    bool callback = false;
    section->read("callback", &Value::boolean, callback);
    if (callback) tool.form = HttpToolConfig::Form::callback;
    if (callback && tool.method != "POST")
        section->find("method")->complain("a callback is always a POST; leave the method out");
    if (url && value.problem_count() == problems) check_placeholders(*url, tool, *section);
    return tool;
}

}  // namespace runnel::config
