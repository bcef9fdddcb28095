#include "router/needs.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace runnel::router {
namespace {

constexpr std::size_t quoted_model_bytes = 128;  // of the model that a client named, in a message

}  // namespace

std::optional<Need> unmet_need(const chat::Operation& operation, const ModelFacts& facts) {
    if (facts.tools == false && operation.needs.tools) return Need::tools;
    if (facts.vision == false && operation.needs.vision) return Need::vision;
    if (facts.streaming == false && operation.streams()) return Need::streaming;
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
