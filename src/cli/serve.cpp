#include "cli/serve.hpp"

#include "base/log.hpp"
#include "cli/config_file.hpp"
#include "cli/lifecycle.hpp"
#include "cli/open_keys.hpp"
#include "cli/running_config.hpp"
#include "cli/service_notice.hpp"
#include "cli/services.hpp"
#include "cli/shard.hpp"
#include "cli/trace_exporter.hpp"
#include "http/tls.hpp"
#include "server/recall.hpp"

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

namespace runnel::cli {
namespace {

namespace asio = boost::asio;

// Thousands of streams need two descriptors each; the soft limit is often 1,024.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string with_port(std::string_view address, unsigned short port) {
    return fmt::format("{}:{}", address.substr(0, address.rfind(':')), port);
}

// An address that a person on this machine can open.
std::string as_shown(std::string_view address) {
    const std::string_view host = address.substr(0, address.rfind(':'));
    const bool every_interface = host.empty() || host == "*" || host == "0.0.0.0";
    return fmt::format("{}{}", every_interface ? std::string_view("127.0.0.1") : host,
                       address.substr(address.rfind(':')));
}

void announce(const config::Config& config, const exchange::Gateway& gateway,
              const std::string& address, std::size_t threads) {
    const std::string url = fmt::format("{}://{}", config.tls ? "https" : "http", address);
    if (log_format(config) == log::Format::json) {
        log::Line(log::Level::info, fmt::format("listening on {}", url))
            .add("version", RUNNEL_VERSION)
            .add("threads", threads)
            .add("providers", gateway.providers.size())
            .write();
        return;
    }
    std::string names;
    for (const auto& slot : gateway.providers) names += (names.empty() ? "" : ", ") + slot.name;
    fmt::print(
        stderr,
        "Runnel {} listening on {}\n  console:   {}/\n  providers: {}\n  try:       curl -N "
        "{}/v1/chat/completions "
        "-H 'Content-Type: application/json' \\\n               -d '{{\"model\":\"demo/text\","
        "\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}'\n",
        RUNNEL_VERSION, url, url, names, url);
}

}  // namespace

int serve(const ServeOptions& options) {
    auto loaded = options.config_file.empty() ? std::optional(config::default_config(&environment))
                                              : load_config(options.config_file, std::cerr);
    if (!loaded) return 1;
    const config::Config config = with_options(std::move(*loaded), options);
    set_up_log(config);

    http::UpstreamTls upstream_tls;
    agent::Workshop workshop(&upstream_tls, &environment);
    auto gateway = open_gateway(config, &workshop);
    if (!gateway) {
        fmt::print(stderr, "runnel: {}\n", gateway.error().message);
        return 1;
    }
    std::unique_ptr<asio::ssl::context> tls;
    if (config.tls) {
        auto made = http::make_server_tls(config.tls->cert, config.tls->key);
        if (!made) {
            fmt::print(stderr, "runnel: {}\n", made.error().message);
            return 1;
        }
        tls = std::move(*made);
    }
    if ((*gateway)->uses_tls()) upstream_tls.get();
    raise_descriptor_limit();
    std::signal(SIGPIPE, SIG_IGN);

    exchange::SharedState state;
    server::ConsoleState console;
    auto keys = open_keys(config, &state.keys);
    if (!keys) {
        fmt::print(stderr, "runnel: {}\n", keys.error().message);
        return 1;
    }
    state.key_keeper = keys->get();
    const std::size_t threads =
        config.threads > 0 ? config.threads : std::max(1U, std::thread::hardware_concurrency());
    auto services = Services::open(config, threads);
    if (!services) {
        fmt::print(stderr, "runnel: {}\n", services.error().message);
        return 1;
    }
    state.meter = (*services)->meter();
    state.redis = (*services)->redis();
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
    std::vector<std::unique_ptr<Shard>> shards;
    asio::io_context control_loop;  // after the shards: what waits in it is theirs
    RunningConfig running_config(&control_loop, options, config, &upstream_tls, &workshop, &state,
                                 services->get());
    std::string address = config.listen;
    for (std::size_t i = 0; i < threads; ++i) {
        shards.push_back(std::make_unique<Shard>(
            Shard::Common{&state, &upstream_tls, tls.get(), &console, &running_config}, *gateway,
            connection_limits(config), (*services)->journal_of(i)));
        if (auto listening = shards.back()->listen(address); !listening) {
            fmt::print(stderr, "runnel: {}\n", listening.error().message);
            return 1;
        }
        running_config.add(shards.back().get());
        // With port 0 the first thread's port is everyone's.
        address = with_port(config.listen, shards.front()->port());
    }
    std::vector<std::jthread> running;
    for (std::size_t i = 1; i < shards.size(); ++i)
        running.emplace_back([shard = shards[i].get()] { shard->run(); });
    (*services)->keep_house();
    Lifecycle lifecycle(&control_loop, &running_config, &shards);
    announce(config, **gateway, as_shown(address), threads);
    tell_service_manager("READY=1");
    gateway->reset();  // the shards have it, until there is another
    std::jthread control_thread([&control_loop] { control_loop.run(); });
    shards.front()->run();
    running.clear();  // the other threads end their requests too, before signals go back to their
                      // defaults
    workshop.close();
    if (*traces) (*traces)->stop();
    (*services)->stop();
    keys->reset();  // whoever waits for it is still there to be told
    control_loop.stop();
    return 0;
}

}  // namespace runnel::cli
