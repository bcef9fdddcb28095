#include "cli/litellm/stores.hpp"

#include "base/is_in.hpp"
#include "base/limits.hpp"
#include "config/addresses.hpp"
#include "config/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runnel::cli {
namespace {

using config::Entry;
using config::Value;

constexpr std::string_view redis_keys[]{"redis_url", "redis_host", "redis_port", "redis_password",
                                        "redis_db",  "url",        "host",       "port",
                                        "password",  "db"};
constexpr std::string_view own_cache_keys[]{"type", "ttl"};
constexpr std::string_view local_caches[]{"local", "redis"};
constexpr std::string_view redis_prefix = "redis_";

std::string_view without_prefix(std::string_view key) {
    if (key.starts_with(redis_prefix)) key.remove_prefix(redis_prefix.size());
    return key;
}

void read_ttl(LitellmReading& reading, const Value& value, ConfigDraft::Fields& cache) {
    const auto seconds = read_litellm_number(reading, value);
    if (!seconds) return;
    const double least = limits::cache_time_min.count(), most = limits::cache_time_max.count();
    if (*seconds < least || *seconds > most)
        reading.note(value,
                     "answers are kept for one minute to one day here; the nearest is taken");
    const std::chrono::seconds time(static_cast<int>(std::clamp(*seconds, least, most)));
    cache.emplace_back("ttl", config::write_duration(time));
}

std::string read_host(LitellmReading& reading, const Value& value) {
    const auto text = read_litellm_text(reading, value, "127.0.0.1").value_or("");
    if (!text.starts_with("${") && (text.contains('/') || !config::is_base_url("http://" + text)))
        value.refuse("a host's name");
    return text;
}

}  // namespace

bool is_litellm_redis_key(std::string_view key) {
    return key.starts_with(redis_prefix) && is_in(key, redis_keys);
}

void read_litellm_redis(LitellmReading& reading, const Value& section, ConfigDraft& draft) {
    std::string url, host, port = "6379", password, database;
    for (const Entry& entry : entries_with_values(section)) {
        if (!is_in(entry.key, redis_keys)) continue;
        const std::string_view key = without_prefix(entry.key);
        const auto number = [&](std::string_view sample, std::int64_t least, std::int64_t most) {
            const auto text = read_litellm_text(reading, entry.value, sample).value_or("");
            if (!text.starts_with("${")) (void)entry.value.whole_number(least, most);
            return text;
        };
        if (key == "url")
            url = read_litellm_secret(reading, entry.value, "REDIS_URL", "redis://127.0.0.1:6379")
                      .value_or("");
        if (key == "host") host = read_host(reading, entry.value);
        if (key == "port") port = number("6379", 1, 65535);
        if (key == "db") database = number("0", 0, 1'000'000);
        if (key == "password")
            password = read_litellm_secret(reading, entry.value, "REDIS_PASSWORD").value_or("");
    }
    if (url.empty() && host.empty()) return;
    if (url.empty())
        url = fmt::format("redis://{}{}{}{}:{}{}{}", password.empty() ? "" : ":", password,
                          password.empty() ? "" : "@", host, port, database.empty() ? "" : "/",
                          database);
    draft.set("shared", yaml_text(url));
}

void read_litellm_cache(LitellmReading& reading, const Value& section, ConfigDraft& draft) {
    const Value* wanted = nullptr;
    const Value* params = nullptr;
    const auto entries = entries_with_values(section);
    for (const Entry& entry : entries) {
        if (entry.key == "cache") wanted = &entry.value;
        if (entry.key == "cache_params") params = &entry.value;
    }
    const bool on = wanted != nullptr && wanted->boolean() == true;
    if (!on) {
        if (params != nullptr) reading.note(*params, "the cache is not switched on; left out");
        return;
    }
    const auto fields = params != nullptr ? entries_with_values(*params) : std::vector<Entry>();
    ConfigDraft::Fields cache;
    std::string type = "redis";
    const Value* type_value = wanted;
    if (params != nullptr) {
        read_litellm_redis(reading, *params, draft);
        for (const Entry& entry : fields) {
            if (entry.key == "ttl") read_ttl(reading, entry.value, cache);
            if (entry.key == "type") {
                type = entry.value.node().text;
                type_value = &entry.value;
            }
            if (!is_in(entry.key, own_cache_keys) && !is_in(entry.key, redis_keys))
                reading.note(entry.name, nothing_like_it);
        }
    }
    draft.set("cache", yaml_map(cache));
    const auto shared = [](const auto& one) { return one.first == "shared"; };
    if (!is_in(type, local_caches))
        reading.note(*type_value, "the cache here is exact, in memory and in Redis (shared)");
    else if (type == "redis" && std::ranges::none_of(draft.others, shared))
        reading.note(*type_value, "the file does not say which Redis: answers are kept in memory; "
                                  "write shared: redis://HOST:PORT for several machines");
}

void read_litellm_database(LitellmReading& reading, const Value& url, ConfigDraft& draft) {
    const auto store =
        read_litellm_secret(reading, url, "DATABASE_URL", "postgres://127.0.0.1/runnel");
    if (!store || store->empty()) return;
    draft.set("store", yaml_text(*store));
    reading.note(url, "Runnel makes its own tables: give it a database of its own. LiteLLM's keys "
                      "and spend are not read");
}

void read_litellm_retention(LitellmReading& reading, const Value& time, ConfigDraft::Fields& logs) {
    const std::string& text = time.node().text;
    const bool is_days = text.size() > 1 && text.size() < 5 && text.ends_with('d') &&
                         text.find_first_not_of("0123456789") == text.size() - 1 && text[0] != '0';
    if (is_days)
        logs.emplace_back("retention", text);
    else
        reading.note(time, "write it under logs.retention, such as 30d");
}

}  // namespace runnel::cli
