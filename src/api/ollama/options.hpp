#pragma once

#include "api/request_value.hpp"

namespace runnel::api::ollama {

// Reads `options`. Those that only Ollama has, such as num_ctx, are the extra of that name, for
// Ollama.
Result<void> read_options(Value& options, chat::Request& request);

}  // namespace runnel::api::ollama
