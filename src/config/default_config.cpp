#include "config/config.hpp"
#include "provider/registry.hpp"

#include <fmt/format.h>

namespace runnel::config {
namespace {

constexpr std::string_view ollama_port = "11434";

// OLLAMA_HOST is what Ollama's own command takes: a host, host:port, :port or a URL.
std::string ollama_url(std::string_view host) {
    if (host.find("://") != std::string_view::npos) return std::string(host);
    if (host.starts_with(':')) return fmt::format("http://127.0.0.1{}", host);
    const bool has_port = host.ends_with(']') ? false : host.find(':') != std::string_view::npos;
    return has_port ? fmt::format("http://{}", host)
                    : fmt::format("http://{}:{}", host, ollama_port);
}

std::string_view value_of(Environment environment, std::string_view name) {
    const char* value = name.empty() ? nullptr : environment(std::string(name).c_str());
    return value ? value : "";
}

std::string aws_region(Environment environment) {
    const auto region = value_of(environment, "AWS_REGION");
    return std::string(region.empty() ? value_of(environment, "AWS_DEFAULT_REGION") : region);
}

// Some kinds need more than a key, e.g. Azure the address of the resource: those have to be
// configured.
bool can_be_made(const Provider& provider) {
    provider::ProviderConfig config{provider.name, provider.kind, provider.base_url};
    config.cloud = provider.cloud;
    return provider::make_provider(config).has_value();
}

// What OpenTelemetry's own libraries look at: an address for all that is told, or one for traces
// alone.
std::optional<Traces> environment_traces(Environment environment) {
    Traces traces;
    traces.endpoint = value_of(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    if (const auto base = value_of(environment, "OTEL_EXPORTER_OTLP_ENDPOINT");
        traces.endpoint.empty() && !base.empty())
        traces.endpoint = fmt::format("{}{}v1/traces", base, base.ends_with('/') ? "" : "/");
    if (traces.endpoint.empty()) return std::nullopt;
    if (const auto name = value_of(environment, "OTEL_SERVICE_NAME"); !name.empty())
        traces.service_name = name;
    return traces;
}

}  // namespace

Config default_config(Environment environment) {
    Config config;
    const auto add = [&](Provider provider) {
        if (can_be_made(provider)) config.providers.push_back(std::move(provider));
    };
    for (const std::string_view kind : provider::kinds()) {
        const auto key = value_of(environment, provider::key_variable(kind));
        if (key.empty()) continue;
        Provider provider{std::string(kind), std::string(kind)};
        provider.keys.emplace_back(std::string(key));
        if (kind == "bedrock") provider.cloud.region = aws_region(environment);
        add(std::move(provider));
    }
    if (const auto host = value_of(environment, "OLLAMA_HOST"); !host.empty())
        add(Provider{"ollama", "ollama", ollama_url(host)});
    config.traces = environment_traces(environment);
    return config;
}

}  // namespace runnel::config
