#include "config/config.hpp"

#include "base/ascii.hpp"
#include "base/log.hpp"
#include "base/web_origin.hpp"
#include "config/addresses.hpp"
#include "config/names.hpp"
#include "config/sections/guardrail.hpp"
#include "config/sections/limits.hpp"
#include "config/sections/model.hpp"
#include "config/sections/policy.hpp"
#include "config/sections/sections.hpp"
#include "config/units.hpp"
#include "config/yaml/masked_text.hpp"
#include "config/yaml/yaml_reader.hpp"
#include "config/yaml/yaml_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace runnel::config {
namespace {

constexpr std::string_view keys_of_config[] = {"listen",
                                               "data",
                                               "threads",
                                               "tls",
                                               "trusted_proxies",
                                               "proxy_protocol",
                                               "providers",
                                               "models",
                                               "aliases",
                                               "default_model",
                                               "dialect",
                                               "id_prefix",
                                               "cors",
                                               "hosts",
                                               "limits",
                                               "ping",
                                               "log",
                                               "drain_timeout",
                                               "admin",
                                               "policy",
                                               "tools",
                                               "auth",
                                               "teams",
                                               "budget",
                                               "prices",
                                               "price_file",
                                               "price_multiplier",
                                               "tool_fees",
                                               "store",
                                               "shared",
                                               "cache",
                                               "logs",
                                               "responses",
                                               "guardrails",
                                               "metrics",
                                               "traces"};
constexpr std::string_view keys_of_cors[] = {"origins"};
constexpr std::string_view keys_of_limits[] = {"request_body", "request_header",
                                               "concurrent",   "queue",
                                               "queue_time",   "memory",
                                               "head_time",    "body_time",
                                               "connections",  "connections_per_address",
                                               "each_address", "each_browser_key_address",
                                               "endpoints",    "reserved_output_tokens"};
constexpr std::string_view keys_of_admin[] = {"token"};
constexpr std::string_view keys_of_log[] = {"format", "level"};
constexpr std::string_view log_formats[] = {"auto", "json", "text"};

using namespace std::chrono_literals;

constexpr std::int64_t threads_max = 1024;
constexpr std::int64_t queue_max = 1'000'000;
constexpr std::int64_t connections_max = 1'000'000;
constexpr std::size_t memory_bytes_max = 1024 * 1024 * 1024 * limits::kib;  // 1 TiB
constexpr std::size_t admin_token_characters_min = 16;

std::optional<std::string> id_prefix(const Value& value) {
    return value.text_that(is_id_prefix, "up to 32 letters, digits, '.', '_' and '-'");
}

std::optional<std::vector<std::string>> read_cors(const Value& value) {
    const auto section = value.section(keys_of_cors);
    const Value* listed = section ? section->find("origins") : nullptr;
    if (!listed) return std::nullopt;
    std::vector<std::string> origins;
    for (const Value& item : listed->list()) {
        auto origin =
            item.text_that(is_cors_origin, "an origin such as https://app.example.com, or *");
        if (origin) origins.push_back(web_origin(*origin));
    }
    return origins;
}

std::optional<std::vector<std::string>> read_hosts(const Value& value) {
    std::vector<std::string> hosts;
    for (const Value& item : value.list()) {
        auto host = item.text_that(is_host_name, "a name such as gateway.internal, without a port");
        if (!host) continue;
        std::ranges::transform(*host, host->begin(), ascii::lower);
        hosts.push_back(std::move(*host));
    }
    return hosts;
}

void read_limits(const Value& value, Config& config) {
    const auto section = value.section(keys_of_limits);
    if (!section) return;
    Limits& read = config.limits;
    const auto body = [](const Value& size) { return size.size(limits::kib, 1024 * limits::mib); };
    const auto header = [](const Value& size) { return size.size(limits::kib, limits::mib); };
    section->read("request_body", body, read.request_body_bytes);
    section->read("request_header", header, read.request_header_bytes);
    const auto queue = [](const Value& count) { return count.whole_number(0, queue_max); };
    const auto queue_time = [](const Value& time) { return time.duration(0ms, 1min); };
    section->read("concurrent", read_concurrent, read.concurrent);
    section->read("queue", queue, read.queue);
    section->read("queue_time", queue_time, read.queue_time);
    const auto read_time = [](const Value& time) { return time.duration(1s, 10min); };
    section->read("head_time", read_time, read.head_time);
    section->read("body_time", read_time, read.body_time);
    const auto connections = [](const Value& count) {
        return count.whole_number(1, connections_max);
    };
    section->read("connections", connections, read.connections);
    section->read("connections_per_address", connections, read.connections_per_address);
    const auto memory = [](const Value& size) {
        return size.size(limits::memory_bytes_min, memory_bytes_max);
    };
    section->read("memory", memory, read.memory_bytes);
    read_client_limits(*section, config.access.limits);
}

std::optional<std::chrono::milliseconds> read_ping(const Value& value) {
    const auto written = value.text();
    if (!written) return std::nullopt;
    if (*written == "off" || *written == "0") return 0ms;
    const auto time = read_duration(*written);
    if (time && (*time == 0ms || (*time >= 10ms && *time <= 1h))) return time;
    value.refuse("a time such as 15s, from 10ms to 1h, or off");
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> read_drain_timeout(const Value& value) {
    return value.duration(0ms, 24h);
}

// What is wrong with a token is said without it.
void read_admin(const Value& value, Secrets secrets, Config& config) {
    const auto section = value.section(keys_of_admin);
    const Value* token = section ? section->find("token") : nullptr;
    auto text = token ? token->secret() : std::nullopt;
    if (!text) return;
    if (secrets == Secrets::masked && *text == secret_mask) return;
    if (!is_token(*text)) {
        token->complain("a token has letters, digits and signs of ASCII; it has no spaces");
    } else if (text->size() < admin_token_characters_min) {
        token->complain(fmt::format("a token has at least {} characters, so that nobody guesses "
                                    "it; openssl rand -hex 32 makes a good one",
                                    admin_token_characters_min));
    } else {
        config.admin_token = Secret(std::move(*text));
    }
}

std::optional<Config::LogFormat> read_log_format(const Value& value) {
    const auto name = value.one_of(log_formats);
    if (!name) return std::nullopt;
    return *name == "json"   ? Config::LogFormat::json
           : *name == "text" ? Config::LogFormat::text
                             : Config::LogFormat::automatic;
}

void read_log(const Value& value, Config& config) {
    const auto section = value.section(keys_of_log);
    if (!section) return;
    const auto level = [](const Value& name) { return name.one_of(log::level_names()); };
    section->read("format", read_log_format, config.log_format);
    section->read("level", level, config.log_level);
}

void read_file(const Value& file, Secrets secrets, Config& config) {
    const auto section = file.section(keys_of_config);
    if (!section) return;
    const auto threads = [](const Value& value) { return value.whole_number(0, threads_max); };
    read_listener(*section, config);
    section->read("data", &Value::some_text, config.data);
    section->read("threads", threads, config.threads);
    read_routes(*section, config);
    section->read("policy", read_common_policy, config.policy);
    section->read("dialect", read_dialect, config.dialect);
    section->read("id_prefix", id_prefix, config.id_prefix);
    section->read("cors", read_cors, config.cors_origins);
    section->read("hosts", read_hosts, config.hosts);
    if (const Value* limits = section->find("limits")) read_limits(*limits, config);
    section->read("ping", read_ping, config.ping);
    section->read("drain_timeout", read_drain_timeout, config.drain_timeout);
    if (const Value* budget = section->find("budget"))
        read_budget_rules(*budget, config.access.limits);
    if (const Value* teams = section->find("teams")) read_teams(*teams, config.access.limits);
    read_prices(*section, config.access.prices);
    read_stores(*section, config.access);
    if (const Value* rules = section->find("guardrails"))
        config.access.guardrails = read_guardrails(*rules);
    if (const Value* admin = section->find("admin")) read_admin(*admin, secrets, config);
    if (const Value* log = section->find("log")) read_log(*log, config);
    section->read("metrics", read_metrics_access, config.metrics_access);
    section->read("traces", read_traces, config.traces);
    check_exposure(*section, config);
}

}  // namespace

std::expected<Config, std::vector<Problem>> read_config(std::string_view yaml,
                                                        Environment environment,
                                                        const std::string& folder,
                                                        Secrets secrets) {
    const auto tree = parse_yaml(yaml);
    if (!tree) return std::unexpected(std::vector{tree.error()});
    Reading reading{environment, folder};
    Config config;
    read_file(Value(&*tree, "", &reading), secrets, config);
    config.secret_files = std::move(reading.secret_files);
    if (reading.problems.empty()) return config;
    std::ranges::sort(reading.problems, {}, [](const Problem& problem) {
        return std::tuple(problem.line, problem.column, std::string_view(problem.message));
    });
    return std::unexpected(std::move(reading.problems));
}

}  // namespace runnel::config
