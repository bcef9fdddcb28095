#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::cli {

struct RequestOptions {
    std::string from = "chat";  // the API that the request is written in
    std::string to{};           // provider kind or preset
    std::string model{};        // where the request does not say it, as in Gemini's API
    bool stream = false;        // the same
};

// What a provider would be sent for a client's request: {"method", "path", "headers", "body"} as
// one line of JSON, with *** for the key, and "warnings" where something of the request is adapted
// or left out. The model is named as in a request to the gateway (provider/model) or bare.
Result<std::string> write_upstream_request(const RequestOptions& options, std::string body);

}  // namespace runnel::cli
