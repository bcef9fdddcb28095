#pragma once

#include "base/result.hpp"
#include "router/router.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Lists of models as clients of other APIs than OpenAI's know them.
namespace runnel::server {

using QueryFields = std::vector<std::pair<std::string, std::string>>;

// Anthropic's: a page of at most `limit` models, before or after one of them. `created` in seconds.
Result<std::string> messages_models_json(std::span<const router::Router::Listed> models,
                                         const QueryFields& query, std::int64_t created);
std::string messages_model_json(const router::Router::Listed& model, std::int64_t created);

// Gemini's: pages with a token for the next.
Result<std::string> gemini_models_json(std::span<const router::Router::Listed> models,
                                       const QueryFields& query);
std::string gemini_model_json(const router::Router::Listed& model);

}  // namespace runnel::server
