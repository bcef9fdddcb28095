#pragma once

#include "config/config.hpp"
#include "guardrail/set.hpp"
#include "http/client/destination.hpp"
#include "metering/prices.hpp"
#include "provider/credentials/credentials.hpp"
#include "provider/credentials/outside.hpp"
#include "provider/provider.hpp"
#include "router/router.hpp"
#include "telemetry/request_log.hpp"
#include "tools/tool_box.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace runnel::exchange {

// One configured provider, ready to be asked.
struct ProviderSlot {
    std::string name;
    std::string kind;
    std::unique_ptr<provider::Provider> provider{};
    // One for each of its keys, in their order; one where it has none, or proves otherwise who
    // asks.
    std::vector<std::unique_ptr<provider::Credentials>> credentials{};
    http::Destination destination{};  // unused by the demo provider, which answers by itself
    router::Timeouts timeouts{};
    std::optional<int> retries{};
    std::size_t concurrent = 0;                     // requests at a time; 0: any number
    std::shared_ptr<const telemetry::Peer> peer{};  // what traces say of it
};

// Everything a config says, in the form that requests use it. Never changes once built; shared by
// all threads. When the config is read again there is another one, and this one goes with the last
// request that uses it.
struct Gateway {
    std::vector<ProviderSlot> providers;  // in the order of the router's targets
    router::Router router;
    std::string dialect;
    std::string id_prefix;
    std::vector<std::string> cors_origins;
    std::vector<std::string> hosts;
    std::chrono::milliseconds ping;  // of silence in a stream; 0: never
    router::Policy policy;           // where neither a model nor a provider says anything else
    std::shared_ptr<const tools::ToolBox> tools;  // null: there are none
    Secret admin_token;
    config::AccessSettings access;  // who may do what
    metering::Prices prices;
    std::shared_ptr<const guardrail::GuardrailSet> guardrails;
    config::Config::MetricsAccess metrics_access;
    std::optional<double> trace_sample;  // the share of requests that is traced; none: nobody asks

    bool uses_tls() const;  // to any of its providers
};

// The error names the provider at fault. `tools` are the config's; null: there are none. Where
// credentials are looked for, `outside`, must outlive the gateway.
Result<std::shared_ptr<const Gateway>> build_gateway(const config::Config& config,
                                                     config::Environment environment,
                                                     std::shared_ptr<const tools::ToolBox> tools,
                                                     provider::Outside* outside);

// The same gateway with a reference count of its own. A request holds its gateway as long as it
// runs, because the config may be read again meanwhile; threads that counted together would take
// the count's cache line from each other with every request.
std::shared_ptr<const Gateway> for_one_thread(std::shared_ptr<const Gateway> gateway);

}  // namespace runnel::exchange
