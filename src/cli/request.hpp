#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::cli {

// What a provider of this kind would be sent for an OpenAI chat request: {"method", "path",
// "headers", "body"} as one line of JSON, with *** for the key. The model is named as in a request
// to the gateway (provider/model) or bare.
Result<std::string> write_upstream_request(std::string_view kind, std::string body);

}  // namespace runnel::cli
