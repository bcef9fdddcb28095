#pragma once

#include <string_view>

namespace runnel::telemetry {

// What OpenTelemetry's conventions call a provider of this kind (gen_ai.provider.name). What they
// have no word for goes by its kind, and what is merely compatible by its own name.
std::string_view gen_ai_provider(std::string_view kind, std::string_view name);

}  // namespace runnel::telemetry
