#pragma once

#include "cli/gateway_client.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace runnel::cli {

// The names of the models that a gateway offers.
Result<std::vector<std::string>> list_models(GatewayClient& gateway);

// The model to chat with where nobody has said which.
Result<std::string> first_model(GatewayClient& gateway);

// Whether the gateway knows a model of this name, listed or not; the error says what is near it.
Result<void> check_model(GatewayClient& gateway, std::string_view name);

}  // namespace runnel::cli
