#pragma once

#include "app/entrance.hpp"
#include "app/serve.hpp"
#include "app/services.hpp"
#include "app/shard.hpp"
#include "base/log.hpp"
#include "config/config.hpp"
#include "tools/tool_runtime.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::app {

// The config's own words, with what the command line says put over them.
config::Config with_options(config::Config config, const ServeOptions& options);

// Sets the log up as the config wants it.
void set_up_log(const config::Config& config);
log::Format log_format(const config::Config& config);

// What the config describes, ready for use.
Result<std::shared_ptr<const exchange::Gateway>> open_gateway(const config::Config& config,
                                                              tools::ToolRuntime* tool_runtime,
                                                              provider::Outside* outside,
                                                              const std::string& config_file);

http::ConnectionLimits connection_limits(const config::Config& config, MemoryBudget* memory);

// The config that is in use, and what reads it again: on SIGHUP and for the admin API. Its loop
// belongs to a thread that serves no requests, so that reading a file holds nobody up.
class RunningConfig final : public server::Operations {
public:
    // All pointers must outlive it.
    RunningConfig(boost::asio::io_context* loop, ServeOptions options, config::Config config,
                  http::UpstreamTls* upstream_tls, tools::ToolRuntime* tool_runtime,
                  provider::Outside* outside, exchange::SharedState* state, Services* services,
                  ConnectionQuota* connection_quota);

    // Before the loop runs: who is to use what is read, and the listener's TLS; null: it has none.
    void add(Shard* shard) { shards_.push_back(shard); }
    void has(std::shared_ptr<boost::asio::ssl::context> tls) { tls_ = std::move(tls); }

    // These two on its loop's thread.
    std::chrono::milliseconds drain_timeout() const { return config_.drain_timeout; }

    // The process is about to end: threads that have ended would never use another config.
    void close() { closed_ = true; }

    // From any thread. What comes of it is logged too.
    void reload(storage::Actor by, std::function<void(Reloaded)> done) override;
    ConfigText config_text() const override;
    std::vector<config::Problem> problems_of(std::string_view config_text) const override;
    void aside(std::move_only_function<void()> work) override;

private:
    void reload_here(storage::Actor by, std::function<void(Reloaded)> done);
    void use_limits();
    void keep_text(std::string text);
    Result<http::Entrance> reopen_entrance(const config::Config& config);

    boost::asio::io_context* loop_;
    ServeOptions options_;
    config::Config config_;
    http::UpstreamTls* upstream_tls_;
    tools::ToolRuntime* tool_runtime_;
    provider::Outside* outside_;
    exchange::SharedState* state_;
    Services* services_;
    ConnectionQuota* connection_quota_;
    std::shared_ptr<boost::asio::ssl::context> tls_;
    std::vector<Shard*> shards_;
    bool closed_ = false;
    mutable std::mutex text_mutex_;
    std::string text_;  // what config_ was read from
};

}  // namespace runnel::app
