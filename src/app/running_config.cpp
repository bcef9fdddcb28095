#include "app/running_config.hpp"

#include "app/entrance.hpp"
#include "app/machine_memory.hpp"
#include "app/privacy.hpp"
#include "config/config_file.hpp"
#include "config/exposure.hpp"
#include "server/admin/audit.hpp"
#include "server/admin/operations.hpp"

#include <boost/asio/post.hpp>

#include <atomic>

namespace runnel::app {
namespace {

using Problems = std::vector<config::Problem>;

void log_problems(std::string_view file, const Problems& problems) {
    for (const config::Problem& problem : problems)
        log::Line(log::Level::error, "config not reloaded")
            .add("problem", config::describe(file, problem))
            .write();
}

void log_changes(const config::Changes& changes) {
    log::Line line(log::Level::info, "config reloaded");
    const auto add = [&](std::string_view name, const std::vector<std::string>& names) {
        if (!names.empty()) line.add(name, names);
    };
    add("providers_added", changes.providers_added);
    add("providers_removed", changes.providers_removed);
    add("models_added", changes.models_added);
    add("models_removed", changes.models_removed);
    line.write();
    if (!changes.need_restart.empty())
        log::Line(log::Level::warning, "some changes of the config need a restart")
            .add("keys", changes.need_restart)
            .write();
}

void log_warning(std::string_view warning) {
    log::Line(log::Level::warning, "config").add("message", warning).write();
}

// The file was read a moment ago; what it has become since then needs a reload anyway.
std::string text_in_use(const ServeOptions& options, const config::Config& config) {
    if (options.config_file.empty()) return config::text_of_defaults(config);
    return config::read_config_text(options.config_file).value_or("");
}

}  // namespace

config::Config with_options(config::Config config, const ServeOptions& options) {
    if (!options.listen.empty()) config.listen = options.listen;
    if (!options.data.empty()) config.data = options.data;
    if (options.threads >= 0) config.threads = static_cast<unsigned>(options.threads);
    return config;
}

log::Format log_format(const config::Config& config) {
    switch (config.log_format) {
        case config::Config::LogFormat::json: return log::Format::json;
        case config::Config::LogFormat::text: return log::Format::text;
        case config::Config::LogFormat::automatic: break;
    }
    return log::format_for_stderr();
}

void set_up_log(const config::Config& config) {
    log::set_up(log_format(config), log::level_named(config.log_level).value_or(log::Level::info));
}

http::ConnectionLimits connection_limits(const config::Config& config, MemoryBudget* memory) {
    const config::Limits& limits = config.limits;
    return {.head_bytes = limits.request_header_bytes,
            .body_bytes = limits.request_body_bytes,
            .head_time = limits.head_time,
            .body_time = limits.body_time,
            .memory = memory};
}

Result<std::shared_ptr<const exchange::Gateway>> open_gateway(const config::Config& config,
                                                              tools::ToolRuntime* tool_runtime,
                                                              provider::Outside* outside,
                                                              const std::string& config_file) {
    auto tools = tool_runtime->open(config.tools, own_files(config, config_file));
    if (!tools) return propagate(tools);
    return exchange::build_gateway(config, &config::environment, std::move(*tools), outside);
}

RunningConfig::RunningConfig(boost::asio::io_context* loop, ServeOptions options,
                             config::Config config, http::UpstreamTls* upstream_tls,
                             tools::ToolRuntime* tool_runtime, provider::Outside* outside,
                             exchange::SharedState* state, Services* services,
                             ConnectionQuota* connection_quota)
    : loop_(loop),
      options_(std::move(options)),
      config_(std::move(config)),
      upstream_tls_(upstream_tls),
      tool_runtime_(tool_runtime),
      outside_(outside),
      state_(state),
      services_(services),
      connection_quota_(connection_quota) {
    use_limits();
    keep_text(text_in_use(options_, config_));
    for (const std::string& warning : warnings_about_files(config_)) log_warning(warning);
}

RunningConfig::ConfigText RunningConfig::config_text() const {
    const std::scoped_lock lock(text_mutex_);
    return {options_.config_file, text_};
}

void RunningConfig::use_limits() {
    const std::size_t said = config_.limits.memory_bytes;
    state_->use_limits(config_, said > 0 ? said : default_memory_budget(machine_memory()));
}

void RunningConfig::keep_text(std::string text) {
    const std::scoped_lock lock(text_mutex_);
    text_ = std::move(text);
}

std::vector<config::Problem> RunningConfig::problems_of(std::string_view config_text) const {
    auto read =
        config::read_config(config_text, &config::environment,
                            config::folder_of(options_.config_file), config::Secrets::masked);
    return read ? Problems() : std::move(read.error());
}

void RunningConfig::aside(std::move_only_function<void()> work) {
    boost::asio::post(*loop_, std::move(work));
}

void RunningConfig::reload(storage::Actor by, std::function<void(Reloaded)> done) {
    boost::asio::post(*loop_, [this, by = std::move(by), done = std::move(done)]() mutable {
        reload_here(std::move(by), std::move(done));
    });
}

void RunningConfig::reload_here(storage::Actor by, std::function<void(Reloaded)> done) {
    const auto refuse = [&](Problems problems) {
        log_problems(options_.config_file, problems);
        done(std::unexpected(std::move(problems)));
    };
    if (closed_) return refuse({{0, 0, "the gateway is shutting down"}});
    auto text = options_.config_file.empty() ? std::expected<std::string, Problems>()
                                             : config::read_config_text(options_.config_file);
    if (!text) return refuse(std::move(text.error()));
    auto read =
        options_.config_file.empty()
            ? std::expected<config::Config, Problems>(config::default_config(&config::environment))
            : config::read_config(*text, &config::environment,
                                  config::folder_of(options_.config_file));
    if (!read) return refuse(std::move(read.error()));
    config::Config config = with_options(std::move(*read), options_);
    config::Changes changes = config::compare(config_, config);
    // Until the next start: whoever reaches this address is let in by the new config, and this
    // folder is kept from tools.
    config.listen = config_.listen;
    config.data = config_.data;
    if (auto problem = config::exposure_of(config)) return refuse({{0, 0, std::move(*problem)}});
    auto gateway = open_gateway(config, tool_runtime_, outside_, options_.config_file);
    if (!gateway) return refuse({{0, 0, gateway.error().message}});
    const auto entrance = reopen_entrance(config);
    if (!entrance) return refuse({{0, 0, entrance.error().message}});
    if ((*gateway)->uses_tls()) upstream_tls_->get();

    set_up_log(config);
    log_changes(changes);
    server::note_action(state_->queries, std::move(by), "config.reload", "",
                        server::reload_json(changes));
    for (const std::string& warning : warnings_about_files(config)) log_warning(warning);
    config_ = std::move(config);
    use_limits();
    services_->use(config_);
    connection_quota_->use(config_.limits);
    keep_text(options_.config_file.empty() ? config::text_of_defaults(config_) : std::move(*text));
    auto threads_left = std::make_shared<std::atomic<std::size_t>>(shards_.size());
    const auto one_done = [threads_left, changes = std::move(changes), done = std::move(done)] {
        if (--*threads_left == 0) done(changes);
    };
    for (Shard* shard : shards_) shard->use(*gateway, *entrance, one_done);
}

// With TLS files as they are now. Whether there is TLS at all counts from the next start.
Result<http::Entrance> RunningConfig::reopen_entrance(const config::Config& config) {
    auto entrance = open_entrance(config, connection_limits(config, &state_->memory));
    if (!entrance) return propagate(entrance);
    if (!tls_ || !entrance->tls)
        entrance->tls = tls_;
    else
        tls_ = entrance->tls;
    return entrance;
}

}  // namespace runnel::app
