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

std::string_view without_leading_blanks(std::string_view escaped) {
    for (;;) {
        if (escaped.starts_with(' ') || escaped.starts_with('\n') || escaped.starts_with('\t')) {
            escaped.remove_prefix(1);
        } else if (escaped.starts_with(R"(\n)") || escaped.starts_with(R"(\r)") ||
                   escaped.starts_with(R"(\t)")) {
            escaped.remove_prefix(2);
        } else {
            return escaped;
        }
    }
}

constexpr std::string_view null_word = "null";

}  // namespace

bool says_nothing(std::string_view escaped) {
    escaped = without_leading_blanks(escaped);
    if (escaped.starts_with(null_word))
        escaped = without_leading_blanks(escaped.substr(null_word.size()));
    return escaped.empty();
}

bool may_say_nothing(std::string_view escaped) {
    constexpr std::size_t bytes_max = 64;  // of what is looked at again and again
    if (escaped.size() > bytes_max) return false;
    return null_word.starts_with(without_leading_blanks(escaped)) || says_nothing(escaped);
}

std::string arguments_object(std::string_view escaped) {
    if (says_nothing(escaped)) return "{}";
    std::string text = json::unescaped(escaped);
    std::string object;
    if (is_object(text)) {
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
