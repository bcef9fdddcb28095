#pragma once

#include "base/result.hpp"
#include "policy/caller.hpp"
#include "router/router.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace runnel::server {

// Bodies of GET /v1/models and GET /v1/models/{id}: OpenAI's shape, and what is known of a model
// besides. `created` is when the process began: nobody knows when a model did. With a key there are
// only those that it may use; to a browser's key they are known by their ids, and what is behind
// them is nobody's business.
Result<std::string> list_models(const router::Router& router, const policy::Caller& caller,
                                std::int64_t created);
Result<std::string> describe_model(const router::Router& router, const policy::Caller& caller,
                                   std::string_view id, std::int64_t created);

}  // namespace runnel::server
