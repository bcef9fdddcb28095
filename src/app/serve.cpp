#include "app/serve.hpp"

#include "app/admin_door.hpp"
#include "app/entrance.hpp"
#include "app/lifecycle.hpp"
#include "app/open_keys.hpp"
#include "app/privacy.hpp"
#include "app/running_config.hpp"
#include "app/service_notice.hpp"
#include "app/services.hpp"
#include "app/shard.hpp"
#include "app/spare_memory.hpp"
#include "app/trace_exporter.hpp"
#include "base/limits.hpp"
#include "base/log.hpp"
#include "config/config_file.hpp"
#include "config/exposure.hpp"
#include "exchange/credentials/surroundings.hpp"
#include "http/tls.hpp"
#include "server/admin/overview.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace runnel::app {
namespace {

namespace asio = boost::asio;

// Thousands of streams need two descriptors each; the soft limit is often 1,024.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string address_text(const http::tcp::endpoint& endpoint) {
    const std::string host = endpoint.address().to_string();
    return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                      : fmt::format("{}:{}", host, endpoint.port());
}

// What a person on this machine can open.
http::tcp::endpoint as_opened(const http::tcp::endpoint& endpoint) {
    if (!endpoint.address().is_unspecified()) return endpoint;
    const auto here = endpoint.address().is_v6()
                          ? asio::ip::address(asio::ip::address_v6::loopback())
                          : asio::ip::address(asio::ip::address_v4::loopback());
    return {here, endpoint.port()};
}

void announce(const config::Config& config, const exchange::Gateway& gateway,
              server::ConsoleState* console, const http::tcp::endpoint& endpoint,
              std::size_t threads, std::size_t memory_bytes) {
    const std::string_view scheme = config.tls ? "https" : "http";
    const std::string bound = fmt::format("{}://{}", scheme, address_text(endpoint));
    if (log_format(config) == log::Format::json) {
        log::Line(log::Level::info, fmt::format("listening on {}", bound))
            .add("version", RUNNEL_VERSION)
            .add("threads", threads)
            .add("memory_mib", memory_bytes / limits::mib)
            .add("providers", gateway.providers.size())
            .add("admin_socket", admin_socket(config.data))
            .write();
        return;
    }
    std::string names;
    for (const auto& slot : gateway.providers) names += (names.empty() ? "" : ", ") + slot.name;
    fmt::print(
        stderr,
        "Runnel {} listening on {}\n  console:   {}\n  providers: {}\n  try:       curl -N "
        "{}/v1/chat/completions "
        "-H 'Content-Type: application/json' \\\n               -d '{{\"model\":\"demo/text\","
        "\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}'\n",
        RUNNEL_VERSION, bound, console_hint(config, console), names, console->url);
}

}  // namespace

int serve(const ServeOptions& options) {
    set_up_allocator();
    keep_memory_private();
    auto loaded = options.config_file.empty()
                      ? std::optional(config::default_config(&config::environment))
                      : config::load_config(options.config_file, std::cerr);
    if (!loaded) return 1;
    const config::Config config = with_options(std::move(*loaded), options);
    set_up_log(config);
    if (const auto problem = config::exposure_of(config)) {
        fmt::print(stderr, "runnel: {}\n", *problem);
        return 1;
    }

    http::UpstreamTls upstream_tls;
    exchange::Surroundings surroundings(&upstream_tls);  // before whoever proves who asks
    tools::ToolRuntime tool_runtime(&upstream_tls, &config::environment);
    auto gateway = open_gateway(config, &tool_runtime, &surroundings, options.config_file);
    if (!gateway) {
        fmt::print(stderr, "runnel: {}\n", gateway.error().message);
        return 1;
    }
    exchange::SharedState state;
    const auto entrance = open_entrance(config, connection_limits(config, &state.memory));
    if (!entrance) {
        fmt::print(stderr, "runnel: {}\n", entrance.error().message);
        return 1;
    }
    if ((*gateway)->uses_tls()) upstream_tls.get();
    raise_descriptor_limit();
    std::signal(SIGPIPE, SIG_IGN);

    server::ConsoleState console;
    auto keys = open_keys(config, &state.keys);
    if (!keys) {
        fmt::print(stderr, "runnel: {}\n", keys.error().message);
        return 1;
    }
    state.key_keeper = keys->get();
    const std::size_t threads =
        config.threads > 0 ? config.threads : std::max(1U, std::thread::hardware_concurrency());
    const auto ring = state.keys.get();
    const bool any_budget = ring && std::ranges::any_of(ring->keys(), [](const access::Key& key) {
                                return key.budget.has_value();
                            });
    auto services = Services::open(
        config, threads, any_budget ? Services::KeyBudgets::some : Services::KeyBudgets::none);
    if (!services) {
        fmt::print(stderr, "runnel: {}\n", services.error().message);
        return 1;
    }
    state.meter = (*services)->meter();
    state.cache.redis = (*services)->redis();
    state.queries = (*services)->queries();
    state.recorder = (*services)->recorder();
    server::recall_traffic(
        state.queries, &console.traffic,
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()));
    auto traces = TraceExporter::open(config, &upstream_tls);
    if (!traces) {
        fmt::print(stderr, "runnel: {}\n", traces.error().message);
        return 1;
    }
    if (*traces) state.traces = (*traces)->queue();
    ConnectionQuota connection_quota(threads);
    std::vector<std::unique_ptr<Shard>> shards;
    asio::io_context control_loop;  // after the shards: what waits in it is theirs
    RunningConfig running_config(&control_loop, options, config, &upstream_tls, &tool_runtime,
                                 &surroundings, &state, services->get(), &connection_quota);
    running_config.has(entrance->tls);
    std::string address = config.listen;
    auto port = options.take_over ? http::Listener::Port::shared : http::Listener::Port::free;
    for (std::size_t i = 0; i < threads; ++i) {
        shards.push_back(std::make_unique<Shard>(
            Shard::Common{&state, &upstream_tls, connection_quota.slots(),
                          connection_quota.essential(), &console, &running_config},
            *gateway, *entrance, (*services)->journal_of(i)));
        if (auto listening = shards.back()->listen(address, port); !listening) {
            fmt::print(stderr, "runnel: {}\n", listening.error().message);
            return 1;
        }
        running_config.add(shards.back().get());
        // With port 0 the first thread's port is everyone's.
        address = address_text(shards.front()->endpoint());
        port = http::Listener::Port::shared;
    }
    connection_quota.begin(config.limits);
    console.url = fmt::format("{}://{}", config.tls ? "https" : "http",
                              address_text(as_opened(shards.front()->endpoint())));
    open_admin_socket(config, shards.front().get());
    std::vector<std::jthread> running;
    for (std::size_t i = 1; i < shards.size(); ++i)
        running.emplace_back([shard = shards[i].get()] { shard->run(); });
    (*services)->keep_house();
    Lifecycle lifecycle(&control_loop, &running_config, &shards);
    SpareMemory spare_memory(&control_loop);
    announce(config, **gateway, &console, shards.front()->endpoint(), threads,
             state.memory.limit());
    tell_service_manager("READY=1");
    gateway->reset();  // the shards have it, until there is another
    std::jthread control_thread([&control_loop] { control_loop.run(); });
    shards.front()->run();
    running.clear();  // the other threads end their requests too, before signals go back to their
                      // defaults
    surroundings.close();
    tool_runtime.close();
    if (*traces) (*traces)->stop();
    (*services)->stop();
    keys->reset();  // whoever waits for it is still there to be told
    control_loop.stop();
    return 0;
}

}  // namespace runnel::app
