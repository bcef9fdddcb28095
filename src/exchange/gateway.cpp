#include "exchange/gateway.hpp"

#include "provider/catalogue.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::exchange {
namespace {

constexpr std::string_view demo = "demo";

std::unexpected<Error> at_fault(const config::Provider& provider, const Error& error) {
    return fail(error.kind, fmt::format("provider '{}': {}", provider.name, error.message));
}

Result<http::Destination> find_destination(const config::Provider& config, std::string_view origin,
                                           config::Environment environment) {
    http::Destination destination;
    auto parsed = http::read_origin(origin);
    if (!parsed) return propagate(parsed);
    destination.origin = std::move(*parsed);
    if (!config.proxy.empty()) {
        auto proxy = http::read_proxy(config.proxy);
        if (!proxy) return propagate(proxy);
        destination.proxy = std::move(*proxy);
    } else {
        auto proxy = http::environment_proxy(destination.origin, environment);
        if (!proxy) return propagate(proxy);
        destination.proxy = std::move(*proxy);
    }
    destination.pool_key = origin;
    if (destination.proxy)
        destination.pool_key +=
            fmt::format(" by {}:{}", destination.proxy->host, destination.proxy->port);
    return destination;
}

Result<ProviderSlot> make_slot(const config::Provider& config, config::Environment environment) {
    provider::ProviderConfig wanted;
    wanted.name = config.name;
    wanted.kind = config.kind;
    wanted.base_url = config.base_url;
    wanted.api_version = config.api_version;
    for (const auto& [name, value] : config.headers) wanted.headers.push_back({name, value});

    ProviderSlot slot{.name = config.name, .kind = config.kind, .timeouts = config.timeouts};
    slot.retries = config.retries;
    slot.concurrent = config.concurrent;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, config.keys.size()); ++i) {
        if (!config.keys.empty()) wanted.api_key = config.keys[i];
        auto made = provider::make_provider(wanted);
        if (!made) return at_fault(config, made.error());
        slot.by_key.push_back(std::move(*made));
    }
    slot.provider = slot.by_key.front().get();
    if (slot.provider->origin().empty()) return slot;
    auto destination = find_destination(config, slot.provider->origin(), environment);
    if (!destination) return at_fault(config, destination.error());
    slot.destination = std::move(*destination);
    return slot;
}

// What the config says of a provider's models, and then the catalogue.
router::ProviderEntry make_entry(const config::Provider& config) {
    const provider::Catalogue catalogue = provider::catalogue_of(config.kind);
    router::ProviderEntry entry{config.name};
    entry.model_prefixes.assign(catalogue.prefixes.begin(), catalogue.prefixes.end());
    for (const config::KnownModel& model : config.models)
        entry.models.push_back({model.name, model.facts.or_else(catalogue.facts_of(model.name))});
    for (const std::string_view name : catalogue.models)
        if (std::ranges::find(config.models, name, &config::KnownModel::name) ==
            config.models.end())
            entry.models.push_back({std::string(name), catalogue.facts_of(name)});
    for (const auto& [prefix, facts] : catalogue.families)
        entry.families.push_back({std::string(prefix), facts});
    if (catalogue.others == provider::Catalogue::Others::refused)
        entry.others = router::ProviderEntry::Others::refused;
    return entry;
}

router::ModelEntry make_entry(const config::Model& config) {
    router::ModelEntry entry;
    entry.name = config.name;
    for (const config::Target& target : config.targets)
        entry.targets.push_back({target.name, target.weight});
    entry.system = config.system;
    entry.defaults_json = config.defaults_json;
    entry.dialect = config.dialect;
    entry.policy = config.policy;
    if (config.streams == config::Model::Streams::no)
        entry.streams = router::ModelEntry::Streams::no;
    entry.stream_fallback = config.stream_fallback;
    entry.max_tokens = config.max_tokens;
    entry.concurrent = config.concurrent;
    return entry;
}

router::Router make_router(const config::Config& config,
                           const std::vector<config::Provider>& providers) {
    std::vector<router::ProviderEntry> provider_entries;
    std::vector<router::ModelEntry> models;
    std::vector<router::AliasEntry> aliases;
    for (const config::Provider& provider : providers)
        provider_entries.push_back(make_entry(provider));
    for (const config::Model& model : config.models) models.push_back(make_entry(model));
    for (const auto& [name, model] : config.aliases) aliases.push_back({name, model});
    return {std::move(provider_entries), std::move(models), std::move(aliases),
            config.default_model};
}

}  // namespace

bool Gateway::uses_tls() const {
    return std::ranges::any_of(providers, [](const ProviderSlot& slot) {
        return !slot.provider->origin().empty() &&
               slot.destination.origin.scheme == http::Origin::Scheme::https;
    });
}

Result<std::shared_ptr<const Gateway>> build_gateway(const config::Config& config,
                                                     config::Environment environment) {
    std::vector<ProviderSlot> slots;
    std::vector<config::Provider> providers = config.providers;
    // Its failures are made on purpose: trying again would only make them slow.
    providers.push_back({.name = std::string(demo), .kind = std::string(demo), .retries = 0});
    for (const config::Provider& provider : providers) {
        auto slot = make_slot(provider, environment);
        if (!slot) return propagate(slot);
        slots.push_back(std::move(*slot));
    }
    return std::shared_ptr<const Gateway>(
        new Gateway{std::move(slots), make_router(config, providers), config.dialect,
                    config.id_prefix, config.cors_origins, config.ping, config.admin_token});
}

std::shared_ptr<const Gateway> for_one_thread(std::shared_ptr<const Gateway> gateway) {
    const Gateway* const shared = gateway.get();
    return {shared, [owner = std::move(gateway)](const Gateway*) {}};
}

}  // namespace runnel::exchange
