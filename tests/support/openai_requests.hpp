#pragma once

#include "chat/request.hpp"
#include "dialect/registry.hpp"

#include <stdexcept>
#include <string>

namespace runnel::testing {

// A request as a client of the OpenAI dialect sends it.
inline chat::Request openai_request(std::string body) {
    json::Parser parser;
    auto request = dialect::dialect_named("openai")->read_request(std::move(body), &parser);
    if (!request) throw std::runtime_error(request.error().message);
    return std::move(*request);
}

}  // namespace runnel::testing
