#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

namespace runnel::provider {

// A base URL in its two halves: where to connect, and what every path begins with.
struct BaseUrl {
    std::string origin;  // "https://api.openai.com", "http://127.0.0.1:9001"
    std::string path;    // "/v1", without a slash at the end; may be empty
};

Result<BaseUrl> read_base_url(std::string_view url);

}  // namespace runnel::provider
