#pragma once

#include "provider/anthropic/request.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

// What the Messages API is asked, seen from a test.
namespace runnel::testing {

inline constexpr std::string_view sonnet = "claude-sonnet-4-5";

inline std::string body_of(const chat::Request& request, std::string_view model = sonnet) {
    auto draft = provider::anthropic::write_body(request, model);
    return draft ? draft->body() : "failed: " + draft.error().message;
}

inline std::vector<std::string> warnings_of(const chat::Request& request,
                                            std::string_view model = sonnet) {
    auto draft = provider::anthropic::write_body(request, model);
    return draft ? draft->warnings() : std::vector<std::string>{draft.error().message};
}

inline Error error_of(const chat::Request& request, std::string_view model = sonnet) {
    auto draft = provider::anthropic::write_body(request, model);
    return draft ? Error{} : draft.error();
}

// The value of a top-level key that is followed by `next`, or by the end of the body.
inline std::string between(const std::string& body, std::string_view key,
                           std::string_view next = "") {
    const std::size_t at = body.find(fmt::format("\"{}\":", key));
    if (at == std::string::npos) return "absent from " + body;
    const std::size_t from = at + key.size() + 3;
    const std::size_t to =
        next.empty() ? body.size() - 1 : body.find(fmt::format(",\"{}\":", next), from);
    return body.substr(from, to - from);
}

inline std::string messages_of(const chat::Request& request, std::string_view model = sonnet) {
    return between(body_of(request, model), "messages");
}

}  // namespace runnel::testing
