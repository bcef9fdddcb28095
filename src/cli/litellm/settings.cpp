#include "cli/litellm/settings.hpp"

#include "cli/litellm/fallbacks.hpp"
#include "cli/litellm/stores.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

using config::Entry;
using config::Value;

constexpr std::string_view sections_read[]{"model_list",       "litellm_settings",
                                           "general_settings", "router_settings",
                                           "credential_list",  "environment_variables"};

// What a key is in Runnel, where it is not another key. No advice: nothing need be done.
struct Advice {
    std::string_view key;
    std::string_view text;
};
constexpr std::string_view always_there = "";
constexpr Advice advices[]{
    {"drop_params", always_there},
    {"modify_params", always_there},
    {"enable_pre_call_checks", always_there},
    {"database_connection_pool_limit", always_there},
    {"routing_strategy", always_there},  // read before
    {"allowed_fails",
     "Runnel has a circuit breaker of its own for each target, with nothing to set"},
    {"cooldown_time",
     "Runnel has a circuit breaker of its own for each target, with nothing to set"},
    {"disable_cooldowns",
     "Runnel's circuit breaker is always there; it steers and refuses nothing"},
    {"retry_after", "Runnel waits as long as the provider asks, else a little longer each time"},
    {"callbacks", "see logs, /metrics and traces in Runnel's documentation"},
    {"success_callback", "see logs, /metrics and traces in Runnel's documentation"},
    {"failure_callback", "see logs, /metrics and traces in Runnel's documentation"},
    {"max_budget", "budgets are those of keys, teams and models: models.<name>.budget, or "
                   "runnel keys create --budget"},
    {"budget_duration", "see max_budget"},
    {"guardrails", "write them again under guardrails: docs/guardrails.md"},
    {"mcp_servers", "write them under tools, as {mcp: {url: …}}: docs/tools.md"},
    {"include", "other files are not read: import each of them by itself, and join the results"},
    {"store_model_in_db", "models are in the file only; those in the database are not read"},
    {"custom_auth", "Runnel has keys of its own: docs/keys.md"},
    {"pass_through_endpoints", "only the endpoints of docs/http-api.md are served"},
};

void advise(LitellmReading& reading, const Entry& entry) {
    const auto advice = std::ranges::find(advices, entry.key, &Advice::key);
    if (advice == std::end(advices))
        reading.note(entry.name, nothing_like_it);
    else if (!advice->text.empty())
        reading.note(entry.name, advice->text);
}

void read_retries(LitellmReading& reading, const Value& value, ConfigDraft& draft) {
    const auto count = read_litellm_number(reading, value);
    if (count && !draft.retries) draft.retries = config_retries(reading, value, *count);
}

void read_time(LitellmReading& reading, const Value& value, std::string_view key,
               ConfigDraft& draft) {
    const auto seconds = read_litellm_number(reading, value);
    const auto named = [&](const auto& one) { return one.first == key; };
    if (seconds && std::ranges::none_of(draft.policy_timeouts, named))
        draft.policy_timeouts.emplace_back(key, config_time(*seconds));
}

// What all three sections may say.
bool read_common(LitellmReading& reading, const Entry& entry, ConfigDraft& draft) {
    if (entry.key == "num_retries")
        read_retries(reading, entry.value, draft);
    else if (entry.key == "request_timeout" || entry.key == "timeout")
        read_time(reading, entry.value, "total", draft);
    else if (entry.key == "stream_timeout")
        read_time(reading, entry.value, "first_token", draft);
    else
        return read_litellm_fallbacks(reading, entry, draft) ||
               read_litellm_alias(reading, entry, draft);
    return true;
}

void read_module(LitellmReading& reading, const Value& section, ConfigDraft& draft) {
    for (const Entry& entry : entries_with_values(section)) {
        const Value& value = entry.value;
        if (read_common(reading, entry, draft)) continue;
        if (entry.key == "set_verbose") {
            if (value.boolean() == true) draft.set("log", "{level: debug}");
        } else if (entry.key == "json_logs") {
            if (value.boolean() == true) draft.set("log", "{format: json}");
        } else if (entry.key != "cache" && entry.key != "cache_params") {
            advise(reading, entry);
        }
    }
    read_litellm_cache(reading, section, draft);
}

void read_router(LitellmReading& reading, const Value& section, ConfigDraft& draft) {
    for (const Entry& entry : entries_with_values(section))
        if (!read_common(reading, entry, draft) && !is_litellm_redis_key(entry.key))
            advise(reading, entry);
    read_litellm_redis(reading, section, draft);
}

void read_master_key(LitellmReading& reading, const Value& value, ConfigDraft& draft) {
    const auto token = read_litellm_secret(reading, value, "LITELLM_MASTER_KEY");
    if (!token || token->empty()) return;
    draft.set("auth", "{mode: keys}");
    draft.set("admin", fmt::format("{{token: {}}}", yaml_text(*token)));
    reading.note(value, "it is the admin API's token and no client's key; make keys for clients "
                        "with runnel keys create");
}

// A number of the file as one of the config's limits.
void read_limit(LitellmReading& reading, const Value& value, std::string_view written, double least,
                double most, std::string_view unit, ConfigDraft::Fields& limits) {
    const auto number = read_litellm_number(reading, value);
    if (!number) return;
    limits.emplace_back(written, fmt::format("{:.0f}{}", std::clamp(*number, least, most), unit));
}

void read_general(LitellmReading& reading, const Value& section, ConfigDraft& draft) {
    ConfigDraft::Fields limits, logs;
    for (const Entry& entry : entries_with_values(section)) {
        const Value& value = entry.value;
        if (entry.key == "master_key") {
            read_master_key(reading, value, draft);
        } else if (entry.key == "database_url") {
            read_litellm_database(reading, value, draft);
        } else if (entry.key == "global_max_parallel_requests") {
            read_limit(reading, value, "concurrent", 1, 1e6, "", limits);
        } else if (entry.key == "max_request_size_mb") {
            read_limit(reading, value, "request_body", 1, 1024, "MiB", limits);
        } else if (entry.key == "store_prompts_in_spend_logs") {
            if (value.boolean() == true) logs.emplace_back("content", "on");
        } else if (entry.key == "maximum_spend_logs_retention_period") {
            read_litellm_retention(reading, value, logs);
        } else if (!read_common(reading, entry, draft)) {
            advise(reading, entry);
        }
    }
    if (!limits.empty()) draft.set("limits", yaml_map(limits));
    if (!logs.empty()) draft.set("logs", yaml_map(logs));
}

// Names only: a value may be a secret.
void read_environment(LitellmReading& reading, const Value& section) {
    for (const Entry& entry : entries_with_values(section))
        reading.note(entry.name, "set it in the environment of the process; the value is not "
                                 "copied");
}

}  // namespace

void read_litellm_settings(LitellmReading& reading, const std::vector<Entry>& sections,
                           ConfigDraft& draft) {
    for (const Entry& section : sections) {
        if (section.key == "router_settings")
            read_router(reading, section.value, draft);
        else if (section.key == "litellm_settings")
            read_module(reading, section.value, draft);
        else if (section.key == "general_settings")
            read_general(reading, section.value, draft);
        else if (section.key == "environment_variables")
            read_environment(reading, section.value);
        else if (std::ranges::find(sections_read, section.key) == std::end(sections_read))
            advise(reading, section);
    }
    for (const Entry& section : sections)
        if (section.key == "router_settings" || section.key == "litellm_settings")
            read_litellm_default_fallbacks(reading, section.value, draft);
}

LitellmRouting read_litellm_routing(LitellmReading& reading, const std::vector<Entry>& sections) {
    for (const Entry& section : sections) {
        if (section.key != "router_settings") continue;
        for (const Entry& entry : entries_with_values(section.value)) {
            if (entry.key != "routing_strategy") continue;
            const std::string& strategy = entry.value.node().text;
            if (strategy == "latency-based-routing") return LitellmRouting::latency;
            if (strategy != "simple-shuffle")
                reading.note(entry.value, "there are failover, weighted and least-latency here; "
                                          "models with several targets are weighted");
        }
    }
    return LitellmRouting::shuffle;
}

}  // namespace runnel::cli
