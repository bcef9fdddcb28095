#pragma once

#include <string>
#include <string_view>

namespace runnel::cli {

// How Runnel speaks to what LiteLLM calls a provider.
struct LitellmProvider {
    std::string_view litellm;          // what comes before the slash in `model`
    std::string_view kind;             // Runnel's
    std::string_view base_url{};       // where the kind has none of its own
    std::string_view key_variable{};   // where LiteLLM looks for a key that the file does not have
    std::string_view base_variable{};  // and for an address
};

// None: Runnel does not speak to it.
const LitellmProvider* find_litellm_provider(std::string_view name);

// LiteLLM's `model`, cut in two. A bare name is the provider's that is known for it; nobody's where
// the provider is empty.
struct LitellmModelName {
    std::string provider;
    std::string model;
};
LitellmModelName split_litellm_model(std::string_view model);

}  // namespace runnel::cli
