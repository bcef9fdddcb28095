#include "check.hpp"
#include "dialect/registry.hpp"

namespace {

using namespace runnel;

// Everything that goes on as raw text must be text that a provider can read.
void require_readable(const chat::Request& request) {
    const auto require_value = [](std::string_view raw) {
        fuzz::require(fuzz::is_json_object("{\"x\":" + std::string(raw) + "}"), "raw text is JSON",
                      raw);
    };
    for (const chat::Field& field : request.fields) require_value(field.raw);
    for (const chat::Message& message : request.messages) {
        require_value(message.raw);
        for (const chat::Part& part : message.parts)
            require_value("\"" + std::string(part.text_escaped) + "\"");
        for (const chat::ToolCall& call : message.tool_calls)
            require_value("\"" + std::string(call.arguments_escaped) + "\"");
    }
    for (const chat::Tool& tool : request.tools) require_value(tool.raw);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    json::Parser parser;
    const auto request =
        dialect::openai().read_request(std::string(fuzz::text_of(data, size)), &parser);
    if (request) {
        require_readable(*request);
        fuzz::require(!request->messages.empty(), "a request has messages");
        return 0;
    }
    fuzz::require(request.error().kind != ErrorKind::internal_error,
                  "what is wrong is the client's");
    const std::string body = dialect::openai().error_body(request.error());
    fuzz::require(fuzz::is_json_object(body), "an error body is a JSON object", body);
    return 0;
}
