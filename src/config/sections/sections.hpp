#pragma once

#include "access/auth_settings.hpp"
#include "config/config.hpp"
#include "config/sections/tool.hpp"
#include "config/yaml/yaml_reader.hpp"
#include "metering/settings.hpp"
#include "tools/config.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

// The sections of the file that one call reads; the file of that name has each.
namespace runnel::config {

// `providers`, `models`, `tools`, `aliases` and `default_model`: who can be asked, and by which
// names, with which tools; and `auth`: who may ask.
void read_routes(const Section& file, Config& config);

// One entry of `providers:`; nothing when it has a problem.
std::optional<Provider> read_provider(const Entry& entry);

// `credentials:` of a provider of this kind: who the gateway is to it, where that is no key.
provider::IdentitySettings read_identity(const Value& value, std::string_view kind);
// A key that a program prints: {command: [PROGRAM, ARGUMENT…], ttl: 10m}.
bool is_key_command(const Value& value);
provider::IdentitySettings read_key_command(const Value& value);

// `auth:`: who may ask at all.
std::optional<access::AuthSettings> read_auth(const Value& value, const KnownTools& tools);

// `store`, `shared`, `cache` and `logs`: what is kept, where, and for how long.
void read_stores(const Section& file, AccessSettings& settings);

// `prices`, `price_file`, `price_multiplier` and `tool_fees`: what models and tools cost.
void read_prices(const Section& file, metering::PriceSettings& settings);

// Where clients connect, and how: listen, tls, trusted_proxies, proxy_protocol.
void read_listener(const Section& file, Config& config);

// After all else is read: whether who may ask fits where it listens.
void check_exposure(const Section& file, const Config& config);

// `metrics`: who may read them.
std::optional<Config::MetricsAccess> read_metrics_access(const Value& value);

// `traces:`: where spans of requests go.
std::optional<Traces> read_traces(const Value& value);

// `http:` of a tool: {url, method, headers, description, parameters, callback}.
tools::HttpToolConfig read_http_tool(const Value& value);

// `headers:` of whoever is asked: {name: value}. A value is not shown when it is wrong.
std::vector<std::pair<std::string, std::string>> read_headers(const Value& value);

}  // namespace runnel::config
