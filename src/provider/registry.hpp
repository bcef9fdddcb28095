#pragma once

#include "provider/provider.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace runnel::provider {

// A wire format: one line here, one folder of its name. The OpenAI-compatible family is one wire
// format with a table of presets (presets.hpp).
#define RUNNEL_PROVIDERS(X)                                                                        \
    X(anthropic)                                                                                   \
    X(demo)                                                                                        \
    X(gemini)                                                                                      \
    X(ollama)                                                                                      \
    X(openai)

// Those of clouds, whose settings may be wrong.
#define RUNNEL_CLOUD_PROVIDERS(X)                                                                  \
    X(bedrock)                                                                                     \
    X(vertex)

#define RUNNEL_DECLARE(name) std::unique_ptr<Provider> make_##name(const ProviderConfig& config);
RUNNEL_PROVIDERS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE
#define RUNNEL_DECLARE(name)                                                                       \
    Result<std::unique_ptr<Provider>> make_##name(const ProviderConfig& config);
RUNNEL_CLOUD_PROVIDERS(RUNNEL_DECLARE)
#undef RUNNEL_DECLARE

// The provider for config.kind (a wire format or a preset of the OpenAI family), or what kinds
// there are.
Result<std::unique_ptr<Provider>> make_provider(const ProviderConfig& config);

// Every kind a config may name, sorted.
std::span<const std::string_view> kinds();

// The environment variable that usually holds this kind's key, e.g. OPENAI_API_KEY; empty when
// there is none.
std::string_view key_variable(std::string_view kind);

}  // namespace runnel::provider
