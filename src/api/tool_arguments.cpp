#include "api/tool_arguments.hpp"

#include "json/parser.hpp"
#include "json/text.hpp"

#include <string>

namespace runnel::api {

void write_arguments_object(json::Writer& writer, std::string_view arguments_escaped) {
    const std::string arguments = json::unescaped(arguments_escaped);
    if (arguments.starts_with('{') && json::is_whole(arguments)) {
        std::string compact;
        json::append_compact(compact, arguments);
        writer.raw(compact);
    } else if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) {
        writer.begin_object().end_object();
    } else {
        writer.begin_object().key("_raw").string(arguments).end_object();
    }
}

}  // namespace runnel::api
