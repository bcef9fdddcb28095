#pragma once

#include "access/caller.hpp"
#include "base/result.hpp"
#include "router/router.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::server {

// The models that a caller may know of, as it knows them. With a key these are only those that it
// may use; a browser's key knows them by their ids, and what is behind them is nobody's business.
std::vector<router::Router::Listed> models_for(const access::Caller& caller,
                                               const router::Router& router);
Result<router::Router::Listed> model_for(const access::Caller& caller, const router::Router& router,
                                         std::string_view id);

// Bodies of GET /v1/models and GET /v1/models/{id}: OpenAI's shape, and what is known of a model
// besides. `created` is when the process began: nobody knows when a model did.
std::string models_json(const router::Router& router, const access::Caller& caller,
                        std::int64_t created);
Result<std::string> model_json(const router::Router& router, const access::Caller& caller,
                               std::string_view id, std::int64_t created);

}  // namespace runnel::server
