#include "exchange/operation_of.hpp"

#include "metering/estimate.hpp"

#include <algorithm>

namespace runnel::exchange {
namespace {

bool has_images(const chat::Request& request) {
    return std::ranges::any_of(request.messages, [](const chat::Message& message) {
        return std::ranges::any_of(message.parts, &chat::Part::is<chat::Image>);
    });
}

}  // namespace

chat::Operation operation_of(const chat::Request& request) {
    const chat::GatewayWishes& wishes = request.gateway;
    chat::Operation operation;
    operation.model = request.model;
    operation.fallback = wishes.fallback;
    operation.strict_model = wishes.strict_model == chat::Wish::yes;
    operation.streaming = request.streaming.value_or(chat::Streaming::no);
    operation.needs.tools = !request.tools.empty() || !wishes.builtin_tools.empty();
    operation.needs.vision = has_images(request);
    operation.choices = request.choices();
    operation.input_tokens = metering::estimated_input_tokens(request);
    operation.max_tokens = request.max_tokens;
    operation.thinking_tokens = metering::estimated_thinking_tokens(request.reasoning);
    return operation;
}

}  // namespace runnel::exchange
