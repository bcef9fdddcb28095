#pragma once

#include "api/registry.hpp"
#include "chat/request.hpp"

#include <stdexcept>
#include <string>

namespace runnel::testing {

// A request as a client of Anthropic's Messages API sends it.
inline chat::Request messages_request(std::string body) {
    json::Parser parser;
    auto request = api::messages_api().read_request({std::move(body)}, &parser);
    if (!request) throw std::runtime_error(request.error().message);
    return std::move(*request);
}

}  // namespace runnel::testing
