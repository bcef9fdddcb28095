#include "tools/written_calls/written_call.hpp"

#include "json/fields.hpp"

namespace runnel::tools {
namespace {

using Calls = std::vector<WrittenCall>;

// A string has JSON in it; anything else is JSON itself.
std::string arguments_of(json::ondemand::value value) {
    std::string text;
    std::string_view raw;
    if (json::plain_string(value, text)) return text;
    if (json::is_null(value) || !json::raw_value(value, raw)) return "{}";
    return std::string(raw);
}

bool read_calls(json::ondemand::value value, Calls& calls);

// `{"name", "arguments"}`, or the same inside of `function`.
void read_call(json::ondemand::value object, WrittenCall& call, Calls& listed) {
    (void)json::for_each_field(object, [&](std::string_view key, json::ondemand::value value) {
        if (key == "name") (void)json::plain_string(value, call.name);
        if (key == "arguments" || key == "parameters") call.arguments = arguments_of(value);
        if (key == "function") read_call(value, call, listed);
        if (key == "tool_calls") (void)read_calls(value, listed);
    });
}

bool read_calls(json::ondemand::value value, Calls& calls) {
    json::ondemand::json_type type{};
    if (value.type().get(type)) return false;
    if (type == json::ondemand::json_type::array) {
        bool all = true;
        (void)json::for_each_element(
            value, [&](json::ondemand::value element) { all = read_calls(element, calls) && all; });
        return all;
    }
    WrittenCall call;
    const std::size_t before = calls.size();
    read_call(value, call, calls);
    if (!call.name.empty()) calls.push_back(std::move(call));
    return calls.size() > before;
}

}  // namespace

std::optional<Calls> read_written_calls(std::string json) {
    if (!json::is_whole(json)) return std::nullopt;
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::value root;
    Calls calls;
    if (parser.parse(Padded::of(json), document) || document.get_value().get(root) ||
        !read_calls(root, calls) || calls.empty())
        return std::nullopt;
    return calls;
}

}  // namespace runnel::tools
