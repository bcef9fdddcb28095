#pragma once

#include "api/api.hpp"

#include <span>
#include <string_view>

namespace runnel::api {

// The APIs: one name here, and a folder of that name with the function.
#define RUNNEL_APIS(X) X(chat) X(messages) X(responses) X(gemini) X(completions) X(ollama)

#define RUNNEL_DECLARE(name) const Api& name##_api();
RUNNEL_APIS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE

// The API of that name; null: there is none.
const Api* api_named(std::string_view name);
// The APIs' names, in the order of the list above.
std::span<const std::string_view> api_names();

// The dialect of that name, of whichever API; null: there is none.
const Dialect* dialect_named(std::string_view name);
// Of that API.
const Dialect* dialect_named(const Api& api, std::string_view name);

// Every dialect's name, the APIs in the order of the list above.
std::span<const std::string_view> dialect_names();
// Those that a client of chat completions may choose from.
std::span<const std::string_view> chat_dialect_names();

}  // namespace runnel::api
