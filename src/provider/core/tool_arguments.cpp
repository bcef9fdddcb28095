#include "provider/core/tool_arguments.hpp"

#include "base/limits.hpp"
#include "json/parser.hpp"
#include "json/text.hpp"
#include "json/writer.hpp"

namespace runnel::provider {
namespace {

bool is_object(std::string& text) {
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::object object;
    return !parser.parse_strict(Padded::of(text), document) && !document.get_object().get(object) &&
           !json::validate(object, limits::json_depth) &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing follows
}

}  // namespace

std::string arguments_object(std::string_view escaped) {
    std::string text = json::unescaped(escaped);
    std::string object;
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        object = "{}";
    } else if (is_object(text)) {
        json::append_compact(object, text);
    } else {
        json::Writer(object).begin_object().key("rawInvalidInput").escaped(escaped).end_object();
    }
    return object;
}

std::string arguments_object(const chat::ToolCall& call) {
    std::string object;
    if (call.kind == chat::ToolCall::Kind::custom) {
        json::Writer(object)
            .begin_object()
            .key("input")
            .escaped(call.arguments_escaped)
            .end_object();
    } else if (call.arguments_raw.empty()) {
        object = arguments_object(call.arguments_escaped);
    } else if (call.arguments_raw == "null") {
        object = "{}";
    } else if (call.arguments_raw.starts_with('{')) {
        json::append_compact(object, call.arguments_raw);
    } else {
        json::Writer(object)
            .begin_object()
            .key("rawInvalidInput")
            .string(call.arguments_raw)
            .end_object();
    }
    return object;
}

}  // namespace runnel::provider
