#pragma once

#include "provider/openai/request.hpp"
#include "support/openai_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

// What the OpenAI family is sent.
namespace runnel::testing {

using provider::OpenAiBody;

inline OpenAiBody body_for(std::string_view kind, const chat::Request& request,
                           std::string_view model = "m") {
    auto body = provider::write_openai_body(*provider::find_preset(kind), kind, request, model);
    if (!body) throw std::runtime_error(body.error().message);
    return std::move(*body);
}

inline std::string body(std::string_view kind, std::string client, std::string_view model = "m") {
    return body_for(kind, openai_request(std::move(client)), model).json;
}

// The messages of a body that has nothing else.
inline std::string messages_in(const std::string& body, std::string_view model = "m") {
    const std::string begin = fmt::format(R"({{"model":"{}","messages":)", model);
    EXPECT_TRUE(body.starts_with(begin) && body.ends_with("]}")) << body;
    return body.substr(begin.size(), body.size() - begin.size() - 1);
}

// What becomes of these messages.
inline std::string messages(std::string_view kind, std::string_view list,
                            std::string_view model = "m") {
    return messages_in(body(kind, fmt::format(R"({{"model":"x","messages":[{}]}})", list), model),
                       model);
}

}  // namespace runnel::testing
