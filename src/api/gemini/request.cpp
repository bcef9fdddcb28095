#include "api/gemini/request.hpp"

#include "api/gemini/contents.hpp"
#include "api/gemini/generation_config.hpp"
#include "api/gemini/tools.hpp"
#include "api/request_body.hpp"

#include <array>
#include <optional>
#include <utility>

namespace runnel::api::gemini {
namespace {

struct Reading {
    chat::Request& request;
    Contents contents{&request};
    std::optional<chat::Message> system{};
};

Result<void> read_system(Reading& reading, Value& value) {
    return store(reading.contents.read_system(value), reading.system);
}

Result<void> read_tool_config(Reading& reading, Value& value) {
    return Tools(&reading.request).read_config(value);
}

Result<void> read_config(Reading& reading, Value& value) {
    return GenerationConfig(&reading.request).read(value);
}

using Field = KnownField<Reading>;
constexpr std::array known_fields{
    Field{"contents", [](Reading& r, Value& v) { return r.contents.read(v); }},
    Field{"systemInstruction", read_system},
    Field{"system_instruction", read_system},
    Field{"tools", [](Reading& r, Value& v) { return Tools(&r.request).read(v); }},
    Field{"toolConfig", read_tool_config},
    Field{"tool_config", read_tool_config},
    Field{"generationConfig", read_config},
    Field{"generation_config", read_config},
    // The path says it.
    Field{"model", [](Reading&, Value&) { return Result<void>(); }},
};

void settle(Reading& reading) {
    chat::Request& request = reading.request;
    if (reading.system && !reading.system->parts.empty())
        request.messages.insert(request.messages.begin(), std::move(*reading.system));
    for (std::size_t i = 0; i < request.messages.size(); ++i) request.messages[i].number = i + 1;
}

}  // namespace

Result<chat::Request> read_request(Incoming incoming, json::Parser* parser) {
    Result<chat::Request> request;
    request->api = chat::Api::gemini;
    request->model = std::move(incoming.model);
    request->streaming = incoming.streaming;
    // Gemini tells its thoughts to those who ask for them.
    request->reasoning.show = chat::ReasoningWish::Show::no;
    request->body = std::make_unique<std::string>(std::move(incoming.body));
    Reading reading{*request};
    RequestBody fields;
    auto read = check_model_in_path(request->model);
    if (read) read = fields.open(*request->body, parser);
    if (read) read = read_known_fields(known_fields, fields, *request, reading);
    if (read && request->messages.empty())
        read = fail_at(ErrorKind::missing_required_field, "contents", "contents is not specified");
    settle(reading);
    if (!read) request = propagate(read);
    return request;
}

Result<chat::Request> read_count_request(Incoming incoming, json::Parser* parser) {
    std::string inner;
    {
        RequestBody fields;
        auto read = fields.open(incoming.body, parser);
        if (read)
            read = fields.for_each_field([&](std::string_view name, Value& value) -> Result<void> {
                if (name != "generateContentRequest" && name != "generate_content_request")
                    return {};
                if (!value.is_object()) return value.must_be("an object");
                inner = value.raw();
                return {};
            });
        if (!read) return propagate(read);
    }
    if (!inner.empty()) incoming.body = std::move(inner);
    return read_request(std::move(incoming), parser);
}

Result<void> check_request(const chat::Request& request) { return check_tool_choice(request); }

}  // namespace runnel::api::gemini
