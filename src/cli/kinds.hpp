#pragma once

#include "provider/presets.hpp"
#include "provider/registry.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace runnel::cli {

// A provider for commands that never connect: for kinds that have no address of their own, with
// one that does not exist.
inline Result<std::unique_ptr<provider::Provider>> provider_of_kind(std::string_view kind) {
    provider::ProviderConfig config;
    config.name = kind;
    config.kind = kind;
    const provider::Preset* preset = provider::find_preset(kind);
    if (preset != nullptr && preset->base_url.empty()) {
        const bool adds_path = preset->address == provider::Preset::Address::azure;
        config.base_url = adds_path ? "https://provider.invalid" : "https://provider.invalid/v1";
    }
    config.cloud.region = "us-east-1";
    config.cloud.project = "my-project";
    return provider::make_provider(config);
}

}  // namespace runnel::cli
