#include "exchange/gateway.hpp"

#include "exchange/credentials/make_credentials.hpp"
#include "exchange/routes.hpp"
#include "http/client/destination.hpp"
#include "provider/registry.hpp"
#include "telemetry/gen_ai_provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace runnel::exchange {
namespace {

constexpr std::string_view demo = "demo";

std::unexpected<Error> at_fault(const config::Provider& provider, const Error& error) {
    return fail(error.kind, fmt::format("provider '{}': {}", provider.name, error.message));
}

std::shared_ptr<const telemetry::Peer> make_peer(const ProviderSlot& slot) {
    const http::Origin& origin = slot.destination.origin;
    telemetry::Peer peer{std::string(telemetry::gen_ai_provider(slot.kind, slot.name)),
                         origin.host};
    std::from_chars(origin.port.data(), origin.port.data() + origin.port.size(), peer.port);
    return std::make_shared<const telemetry::Peer>(std::move(peer));
}

Result<ProviderSlot> make_slot(const config::Provider& config, config::Environment environment,
                               provider::Outside* outside) {
    provider::ProviderConfig wanted;
    wanted.name = config.name;
    wanted.kind = config.kind;
    wanted.base_url = config.base_url;
    wanted.api_version = config.api_version;
    wanted.cloud = config.cloud;
    for (const auto& [name, value] : config.headers) wanted.headers.push_back({name, value});

    ProviderSlot slot{.name = config.name, .kind = config.kind, .timeouts = config.timeouts};
    slot.retries = config.retries;
    slot.concurrent = config.concurrent;
    auto made = provider::make_provider(wanted);
    if (!made) return at_fault(config, made.error());
    slot.provider = std::move(*made);
    slot.credentials = make_credentials(config, *slot.provider, outside);
    const std::string_view origin = slot.provider->origin();
    if (!origin.empty()) {
        auto destination = http::find_destination(origin, config.proxy, environment);
        if (!destination) return at_fault(config, destination.error());
        slot.destination = std::move(*destination);
    }
    slot.peer = make_peer(slot);
    return slot;
}

}  // namespace

bool Gateway::uses_tls() const {
    return std::ranges::any_of(providers, [](const ProviderSlot& slot) {
        return !slot.provider->origin().empty() &&
               slot.destination.origin.scheme == http::Origin::Scheme::https;
    });
}

Result<std::shared_ptr<const Gateway>> build_gateway(const config::Config& config,
                                                     config::Environment environment,
                                                     std::shared_ptr<const tools::ToolBox> tools,
                                                     provider::Outside* outside) {
    std::vector<ProviderSlot> slots;
    std::vector<config::Provider> providers = config.providers;
    // Its failures are made on purpose: trying again would only make them slow.
    providers.push_back({.name = std::string(demo), .kind = std::string(demo), .retries = 0});
    for (const config::Provider& provider : providers) {
        auto slot = make_slot(provider, environment, outside);
        if (!slot) return propagate(slot);
        slots.push_back(std::move(*slot));
    }
    auto router = make_router(config, providers);
    if (!router) return propagate(router);
    auto prices = metering::load_prices(config.access.prices);
    if (!prices) return propagate(prices);
    auto guardrails = guardrail::GuardrailSet::make(config.access.guardrails);
    if (!guardrails) return propagate(guardrails);
    std::optional<double> trace_sample;
    if (config.traces) trace_sample = config.traces->sample;
    return std::shared_ptr<const Gateway>(
        new Gateway{std::move(slots), std::move(*router), config.dialect, config.id_prefix,
                    config.cors_origins, config.hosts, config.ping, config.policy, std::move(tools),
                    config.admin_token, config.access, std::move(*prices), std::move(*guardrails),
                    config.metrics_access, trace_sample});
}

std::shared_ptr<const Gateway> for_one_thread(std::shared_ptr<const Gateway> gateway) {
    const Gateway* const shared = gateway.get();
    return {shared, [owner = std::move(gateway)](const Gateway*) {}};
}

}  // namespace runnel::exchange
