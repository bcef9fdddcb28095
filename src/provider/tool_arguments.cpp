#include "provider/tool_arguments.hpp"

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

}  // namespace runnel::provider
