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
    if (!config.keys.empty()) wanted.api_key = config.keys.front();
    for (const auto& [name, value] : config.headers) wanted.headers.push_back({name, value});

    ProviderSlot slot{config.name, config.kind, nullptr, {}, config.timeouts};
    auto made = provider::make_provider(wanted);
    if (!made) return at_fault(config, made.error());
    slot.provider = std::move(*made);
    if (slot.provider->origin().empty()) return slot;
    auto destination = find_destination(config, slot.provider->origin(), environment);
    if (!destination) return at_fault(config, destination.error());
    slot.destination = std::move(*destination);
    return slot;
}

}  // namespace

bool Gateway::uses_tls() const {
    return std::ranges::any_of(providers, [](const ProviderSlot& slot) {
        return !slot.provider->origin().empty() &&
               slot.destination.origin.scheme == http::Origin::Scheme::https;
    });
}

Result<std::unique_ptr<const Gateway>> build_gateway(const config::Config& config,
                                                     config::Environment environment) {
    std::vector<ProviderSlot> slots;
    std::vector<router::ProviderEntry> entries;
    std::vector<config::Provider> providers = config.providers;
    providers.push_back({.name = std::string(demo), .kind = std::string(demo)});
    for (const config::Provider& provider : providers) {
        auto slot = make_slot(provider, environment);
        if (!slot) return propagate(slot);
        slots.push_back(std::move(*slot));
        const provider::Catalogue catalogue = provider::catalogue_of(provider.kind);
        entries.push_back({provider.name,
                           {catalogue.prefixes.begin(), catalogue.prefixes.end()},
                           {catalogue.models.begin(), catalogue.models.end()}});
    }
    std::vector<router::ModelEntry> models;
    for (const config::Model& model : config.models) {
        std::vector<std::string> targets;
        for (const config::Target& target : model.targets) targets.push_back(target.name);
        models.push_back(
            {model.name, std::move(targets), model.system, model.defaults_json, model.dialect});
    }
    return std::unique_ptr<const Gateway>(
        new Gateway{std::move(slots),
                    router::Router(std::move(entries), std::move(models), config.default_model),
                    config.dialect, config.id_prefix, config.cors_origins});
}

}  // namespace runnel::exchange
