#pragma once

#include "api/registry.hpp"
#include "chat/request.hpp"

#include <stdexcept>
#include <string>

namespace runnel::testing {

// A request as a client of chat completions sends it.
inline chat::Request openai_request(std::string body) {
    json::Parser parser;
    auto request = api::chat_api().read_request({std::move(body)}, &parser);
    if (!request) throw std::runtime_error(request.error().message);
    return std::move(*request);
}

}  // namespace runnel::testing
