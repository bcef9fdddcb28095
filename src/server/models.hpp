#pragma once

#include "base/result.hpp"
#include "router/router.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::server {

// Bodies of GET /v1/models and GET /v1/models/{id}: OpenAI's shape, and what is known of a model
// besides. `created` is when the process began: nobody knows when a model did.
Result<std::string> list_models(const router::Router& router, std::int64_t created);
Result<std::string> describe_model(const router::Router& router, std::string_view id,
                                   std::int64_t created);

}  // namespace runnel::server
