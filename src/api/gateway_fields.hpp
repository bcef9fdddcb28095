#pragma once

#include "api/request_value.hpp"

// Fields that are the gateway's own, in requests that are OpenAI's otherwise.
namespace runnel::api {

// Milliseconds, for the whole request.
Result<void> read_timeout(const Value& value, chat::GatewayWishes& wishes);

// ["pii"], or {"pii": true}. What is false is not asked for; nobody can switch a policy off.
Result<void> read_guardrails(Value& value, chat::GatewayWishes& wishes);

// An object of strings.
Result<void> read_metadata(Value& value, chat::Request& request);

}  // namespace runnel::api
