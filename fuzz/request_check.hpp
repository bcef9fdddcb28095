#pragma once

#include "api/registry.hpp"
#include "check.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

// What is true of any request that an API has read, and of any that it has refused.
namespace runnel::fuzz {

// Everything that goes on as raw text must be text that a provider can read.
inline void require_value(std::string_view raw) {
    if (raw.empty()) return;
    require(is_json_object("{\"x\":" + std::string(raw) + "}"), "raw text is JSON", raw);
}

inline void require_string(std::string_view escaped) {
    require_value("\"" + std::string(escaped) + "\"");
}

inline void require_readable(const chat::Extras& extras) {
    for (const chat::Extra& extra : extras) require_value(extra.raw);
}

inline void require_readable(const chat::Source& source) {
    for (const std::string_view text : {source.data_escaped, source.media_type_escaped,
                                        source.url_escaped, source.file_id_escaped})
        require_string(text);
}

inline void require_readable(const chat::Text& text) { require_string(text.text_escaped); }
inline void require_readable(const chat::Refusal& refusal) { require_string(refusal.text_escaped); }
inline void require_readable(const chat::Image& image) { require_readable(image.source); }
inline void require_readable(const chat::Audio& audio) { require_readable(audio.source); }
inline void require_readable(const chat::Video& video) { require_readable(video.source); }
inline void require_readable(const chat::Other& other) { require_value(other.raw); }

inline void require_readable(const chat::File& file) {
    require_readable(file.source);
    require_string(file.text_escaped);
    require_string(file.filename_escaped);
}

inline void require_readable(const chat::Reasoning& reasoning) {
    require_string(reasoning.text_escaped);
    require_string(reasoning.signature_escaped);
    require_string(reasoning.encrypted_escaped);
}

inline void require_readable(const chat::ToolCall& call) {
    require_string(call.arguments_escaped);
    require_value(call.arguments_raw);
    require_string(call.signature_escaped);
}

inline void require_readable(const chat::Message& message) {
    for (const chat::Part& part : message.parts) {
        std::visit([](const auto& content) { require_readable(content); }, part.content);
        require_readable(part.extras);
    }
    require_readable(message.extras);
}

inline void require_readable(const chat::Tool& tool) {
    require_string(tool.description_escaped);
    for (const std::string_view raw : {tool.parameters_raw, tool.format_raw, tool.raw})
        require_value(raw);
    require_readable(tool.extras);
}

inline void require_readable(const chat::Request& request) {
    for (const chat::Message& message : request.messages) require_readable(message);
    for (const chat::Tool& tool : request.tools) require_readable(tool);
    require_readable(request.extras);
    for (const std::string_view raw :
         {request.output.schema_raw, request.metadata_raw, request.sampling.logit_bias_raw,
          request.gateway.response_schema_raw})
        require_value(raw);
}

// The request where it was read; else its error has been looked at.
inline Result<chat::Request> check_request(const api::Api& api, api::Incoming incoming) {
    json::Parser parser;
    auto request = api.read_request(std::move(incoming), &parser);
    if (request) {
        require_readable(*request);
        if (const auto checked = api.check_request(*request); !checked)
            require(checked.error().kind != ErrorKind::internal_error,
                    "what is wrong is the client's");
        return request;
    }
    require(request.error().kind != ErrorKind::internal_error, "what is wrong is the client's");
    const std::string body = api.error_body(request.error());
    require(is_json_object(body), "an error body is a JSON object", body);
    return request;
}

}  // namespace runnel::fuzz
