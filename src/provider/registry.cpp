#include "provider/registry.hpp"

#include "base/nearest.hpp"
#include "provider/core/base_url.hpp"
#include "provider/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::provider {
namespace {

struct WireFormat {
    std::string_view name;
    Result<std::unique_ptr<Provider>> (*make)(const ProviderConfig& config);
};

using Made = Result<std::unique_ptr<Provider>>;
#define RUNNEL_ENTRY(name)                                                                         \
    WireFormat{#name, [](const ProviderConfig& config) -> Made { return make_##name(config); }},
constexpr WireFormat wire_formats[]{RUNNEL_PROVIDERS(RUNNEL_ENTRY)
                                        RUNNEL_CLOUD_PROVIDERS(RUNNEL_ENTRY)};
#undef RUNNEL_ENTRY

struct KeyVariable {
    std::string_view kind;
    std::string_view name;
};

// The presets of the OpenAI family have theirs in their rows.
constexpr KeyVariable key_variables[]{{"anthropic", "ANTHROPIC_API_KEY"},
                                      {"bedrock", "AWS_BEARER_TOKEN_BEDROCK"},
                                      {"gemini", "GEMINI_API_KEY"}};

std::vector<std::string_view> all_kinds() {
    std::vector<std::string_view> all;
    for (const WireFormat& format : wire_formats) all.push_back(format.name);
    for (const Preset& preset : presets()) {
        all.push_back(preset.kind);
        all.insert(all.end(), preset.aliases.begin(), preset.aliases.end());
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

// The family's addresses are checked here, where the user can still be told.
Result<void> check_address(const Preset& preset, const ProviderConfig& config) {
    if (config.base_url.empty() && preset.base_url.empty())
        return fail_at(ErrorKind::missing_required_field, "base_url",
                       fmt::format("a provider of kind '{}' needs a base_url", config.kind));
    if (config.base_url.empty()) return {};
    auto base = read_base_url(config.base_url);
    if (!base) return fail_at(base.error().kind, "base_url", base.error().message);
    return {};
}

}  // namespace

Result<std::unique_ptr<Provider>> make_provider(const ProviderConfig& config) {
    if (const Preset* preset = find_preset(config.kind)) {
        if (auto address = check_address(*preset, config); !address) return propagate(address);
        return make_openai(config);
    }
    const auto format = std::ranges::find(wire_formats, config.kind, &WireFormat::name);
    if (format != std::end(wire_formats)) return format->make(config);
    return fail_at(ErrorKind::invalid_value, "kind",
                   fmt::format("'{}' is not a kind of provider; there are: {}{}", config.kind,
                               fmt::join(kinds(), ", "), did_you_mean(config.kind, kinds())));
}

std::span<const std::string_view> kinds() {
    static const std::vector<std::string_view> all = all_kinds();
    return all;
}

std::string_view key_variable(std::string_view kind) {
    // An alias has none of its own: whoever looks for set variables finds each provider once.
    if (const Preset* preset = find_preset(kind); preset != nullptr && preset->kind == kind)
        return preset->key_variable;
    const auto found = std::ranges::find(key_variables, kind, &KeyVariable::kind);
    return found == std::end(key_variables) ? std::string_view() : found->name;
}

}  // namespace runnel::provider
