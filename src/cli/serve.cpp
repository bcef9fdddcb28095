#include "cli/serve.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"
#include "cli/config_file.hpp"
#include "exchange/shared_state.hpp"
#include "exchange/gateway.hpp"
#include "http/listener.hpp"
#include "http/tls.hpp"
#include "server/app.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace runnel::cli {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

const char* environment(const char* name) { return std::getenv(name); }

constexpr auto stop_time = 10s;  // for open streams to end after a signal

// One core's share of the gateway: its own loop, acceptor, upstream connections and parser.
class Shard {
public:
    Shard(std::shared_ptr<const exchange::Gateway> gateway, exchange::SharedState* shared,
          asio::ssl::context* upstream_tls, asio::ssl::context* tls, http::ConnectionLimits limits)
        : loop_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
          worker_(&loop_, upstream_tls),
          app_(std::move(gateway), &worker_, shared),
          listener_(&loop_, &worker_.tasks, &app_, tls, limits) {}

    Result<void> listen(const std::string& address) { return listener_.listen(address); }
    unsigned short port() const { return listener_.port(); }

    void run() {
        listener_.start();
        const auto work = asio::make_work_guard(loop_);
        loop_.run();
    }

    // From any thread: takes no more connections, and ends the loop when the open requests are
    // answered or time is up.
    void stop() {
        asio::post(loop_, [this] {
            listener_.stop();
            deadline_ = std::chrono::steady_clock::now() + stop_time;
            end_when_idle();
        });
    }

    // From any thread.
    void stop_now() { loop_.stop(); }

private:
    void end_when_idle() {
        if (app_.open_requests() == 0 || std::chrono::steady_clock::now() > deadline_) {
            loop_.stop();
            return;
        }
        check_timer_.expires_after(20ms);
        check_timer_.async_wait([this](const boost::system::error_code& error) {
            if (!error) end_when_idle();
        });
    }

    asio::io_context loop_;
    exchange::Worker worker_;
    server::App app_;
    http::Listener listener_;
    asio::steady_timer check_timer_{loop_};
    std::chrono::steady_clock::time_point deadline_;
};

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

log::Format log_format(const config::Config& config) {
    switch (config.log_format) {
        case config::Config::LogFormat::json: return log::Format::json;
        case config::Config::LogFormat::text: return log::Format::text;
        case config::Config::LogFormat::automatic: break;
    }
    return log::format_for_stderr();
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
        "Runnel {} listening on {}\n  providers: {}\n  try:       curl -N {}/v1/chat/completions "
        "-H 'Content-Type: application/json' \\\n               -d '{{\"model\":\"demo/text\","
        "\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}'\n",
        RUNNEL_VERSION, url, names, url);
}

}  // namespace

int serve(const ServeOptions& options) {
    auto loaded = options.config_file.empty() ? std::optional(config::default_config(&environment))
                                              : load_config(options.config_file, std::cerr);
    if (!loaded) return 1;
    config::Config config = std::move(*loaded);
    if (!options.listen.empty()) config.listen = options.listen;
    if (!options.data.empty()) config.data = options.data;
    if (options.threads >= 0) config.threads = static_cast<unsigned>(options.threads);
    log::set_up(log_format(config), log::level_named(config.log_level).value_or(log::Level::info));

    auto gateway = exchange::build_gateway(config, &environment);
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
    raise_descriptor_limit();
    std::signal(SIGPIPE, SIG_IGN);

    exchange::SharedState shared;
    const std::shared_ptr<const exchange::Gateway> shared_gateway(std::move(*gateway));
    const auto upstream_tls = shared_gateway->uses_tls() ? http::make_client_tls() : nullptr;
    const http::ConnectionLimits connection_limits{
        {config.limits.request_header_bytes, config.limits.request_body_bytes}};
    const std::size_t threads =
        config.threads > 0 ? config.threads : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::unique_ptr<Shard>> shards;
    std::string address = config.listen;
    for (std::size_t i = 0; i < threads; ++i) {
        shards.push_back(std::make_unique<Shard>(shared_gateway, &shared, upstream_tls.get(),
                                                 tls.get(), connection_limits));
        if (auto listening = shards.back()->listen(address); !listening) {
            fmt::print(stderr, "runnel: {}\n", listening.error().message);
            return 1;
        }
        // With port 0 the first thread's port is everyone's.
        address = with_port(config.listen, shards.front()->port());
    }
    announce(config, *shared_gateway, as_shown(address), threads);

    std::vector<std::jthread> running;
    for (std::size_t i = 1; i < shards.size(); ++i)
        running.emplace_back([shard = shards[i].get()] { shard->run(); });
    asio::io_context signal_loop;
    asio::signal_set signals(signal_loop, SIGINT, SIGTERM);
    // The first signal lets open requests end, the second does not.
    signals.async_wait([&](const boost::system::error_code& error, int) {
        if (error) return;
        for (const auto& shard : shards) shard->stop();
        signals.async_wait([&](const boost::system::error_code& again, int) {
            if (again) return;
            for (const auto& shard : shards) shard->stop_now();
        });
    });
    std::jthread signal_thread([&signal_loop] { signal_loop.run(); });
    shards.front()->run();
    running.clear();  // the other threads end their requests too, before signals go back to their
                      // defaults
    signal_loop.stop();
    return 0;
}

}  // namespace runnel::cli
