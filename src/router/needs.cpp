#include "router/needs.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::router {
namespace {

constexpr std::size_t quoted_model_bytes = 128;  // of the model that a client named, in a message

bool has_images(const chat::Request& request) {
    return std::ranges::any_of(request.messages, [](const chat::Message& message) {
        return std::ranges::find(message.parts, chat::Part::Kind::image, &chat::Part::kind) !=
               message.parts.end();
    });
}

}  // namespace

std::optional<Need> unmet_need(const chat::Request& request, const ModelFacts& facts) {
    if (facts.tools == false && !request.tools.empty()) return Need::tools;
    if (facts.vision == false && has_images(request)) return Need::vision;
    if (facts.streaming == false && request.streaming == chat::Streaming::yes)
        return Need::streaming;
    return std::nullopt;
}

Error lacks(std::string_view model, Need need) {
    const std::string_view name = utf8_prefix(model, quoted_model_bytes);
    switch (need) {
        case Need::tools:
            return {ErrorKind::tool_unsupported_for_model,
                    fmt::format("the model '{}' can't call tools; leave tools out, or ask another "
                                "model",
                                name),
                    "tools"};
        case Need::vision:
            return {ErrorKind::unsupported_parameter,
                    fmt::format("the model '{}' can't see images; leave them out, or ask another "
                                "model",
                                name),
                    "messages"};
        case Need::streaming: break;
    }
    return {
        ErrorKind::unsupported_parameter,
        fmt::format("the model '{}' can't stream; leave stream out, or ask another model", name),
        "stream"};
}

}  // namespace runnel::router
