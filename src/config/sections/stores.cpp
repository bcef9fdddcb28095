#include "base/limits.hpp"
#include "base/redis_address.hpp"
#include "config/sections/sections.hpp"
#include "config/units.hpp"

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using cache::Settings;
using storage::LogSettings;
using storage::ResponseSettings;
using storage::SharedSettings;
using storage::StoreSettings;

constexpr std::string_view keys_of_shared[] = {"redis", "without_it"};
constexpr std::string_view keys_of_cache[] = {"ttl", "max_bytes", "single_flight"};
constexpr std::string_view keys_of_logs[] = {"content", "retention", "journal"};
constexpr std::string_view keys_of_responses[] = {"store", "retention"};
constexpr std::string_view without_it_names[] = {"local", "refuse"};
constexpr std::string_view switch_names[] = {"on", "off"};

constexpr std::size_t cache_bytes_max = 1024 * 1024 * limits::mib;
constexpr std::size_t journal_bytes_min = 16 * limits::mib;  // a few files for each thread
constexpr std::size_t journal_bytes_max = 1024 * 1024 * limits::mib;
constexpr auto retention_min = 1h;
constexpr auto retention_max = 3650 * 24h;

// URLs may have a password in them: what is wrong is said without them.
std::optional<StoreSettings> read_store(const Value& value) {
    const auto text = value.secret();
    if (!text) return std::nullopt;
    if (*text == "sqlite") return StoreSettings{};
    if (text->starts_with("postgres://") || text->starts_with("postgresql://"))
        return StoreSettings{StoreSettings::Kind::postgres, Secret(*text)};
    value.complain("a store is sqlite, or postgres://user:password@host/database");
    return std::nullopt;
}

std::optional<Secret> read_redis(const Value& value) {
    const auto text = value.secret();
    if (!text) return std::nullopt;
    if (const auto address = read_redis_url(*text); !address) {
        value.complain(address.error().message);
        return std::nullopt;
    }
    return Secret(*text);
}

std::optional<SharedSettings::WithoutIt> read_without_it(const Value& value) {
    const auto name = value.one_of(without_it_names);
    if (!name) return std::nullopt;
    return *name == "local" ? SharedSettings::WithoutIt::local_limits
                            : SharedSettings::WithoutIt::refuse;
}

std::optional<SharedSettings> read_shared(const Value& value) {
    SharedSettings shared;
    if (value.node().kind != Node::Kind::map) {
        if (value.node().text == "none") return shared;
        auto url = read_redis(value);
        if (!url) return std::nullopt;
        shared.redis_url = std::move(*url);
        return shared;
    }
    const auto section = value.section(keys_of_shared);
    if (!section) return std::nullopt;
    if (!section->find("redis"))
        value.complain("redis is missing; write {redis: \"redis://host:6379\", without_it: local}");
    section->read("redis", read_redis, shared.redis_url);
    section->read("without_it", read_without_it, shared.without_it);
    return shared;
}

std::optional<cache::Settings::SingleFlight> read_single_flight(const Value& value) {
    const auto wanted = value.boolean();
    if (!wanted) return std::nullopt;
    return *wanted ? cache::Settings::SingleFlight::on : cache::Settings::SingleFlight::off;
}

std::optional<std::chrono::seconds> read_ttl(const Value& value) {
    const auto time = value.duration(limits::cache_time_min, limits::cache_time_max);
    if (!time) return std::nullopt;
    return std::chrono::floor<std::chrono::seconds>(*time);
}

void read_cache(const Value& value, std::optional<cache::Settings>& out) {
    if (value.node().kind == Node::Kind::scalar && value.node().text == "off") return;
    const auto section = value.section(keys_of_cache);
    if (!section) return;
    const auto size = [](const Value& bytes) { return bytes.size(limits::mib, cache_bytes_max); };
    cache::Settings cache;
    section->read("ttl", read_ttl, cache.ttl);
    section->read("max_bytes", size, cache.max_bytes);
    section->read("single_flight", read_single_flight, cache.single_flight);
    out = cache;
}

std::optional<bool> read_switch(const Value& value) {
    const auto name = value.one_of(switch_names);
    if (!name) return std::nullopt;
    return *name == "on";
}

// 30d, or any other time; nobody counts a month's hours.
std::optional<std::chrono::hours> read_retention(const Value& value) {
    const auto text = value.text();
    if (!text) return std::nullopt;
    auto time = read_duration(*text);
    if (text->ends_with('d'))
        if (const auto days = read_duration(text->substr(0, text->size() - 1) + "h"))
            time = *days * 24;
    if (time && *time >= retention_min && *time <= retention_max)
        return std::chrono::floor<std::chrono::hours>(*time);
    value.refuse("a time such as 30d or 12h, from 1h to 3650d");
    return std::nullopt;
}

std::optional<LogSettings> read_logs(const Value& value) {
    const auto section = value.section(keys_of_logs);
    if (!section) return std::nullopt;
    LogSettings logs;
    section->read("content", read_switch, logs.keeps_content);
    section->read("retention", read_retention, logs.retention);
    const auto journal = [](const Value& size) {
        return size.size(journal_bytes_min, journal_bytes_max);
    };
    section->read("journal", journal, logs.journal_bytes);
    return logs;
}

std::optional<ResponseSettings> read_responses(const Value& value) {
    const auto section = value.section(keys_of_responses);
    if (!section) return std::nullopt;
    ResponseSettings responses;
    section->read("store", read_switch, responses.stores);
    section->read("retention", read_retention, responses.retention);
    return responses;
}

}  // namespace

void read_stores(const Section& file, AccessSettings& settings) {
    file.read("store", read_store, settings.store);
    file.read("shared", read_shared, settings.shared);
    if (const Value* cache = file.find("cache")) read_cache(*cache, settings.cache);
    file.read("logs", read_logs, settings.logs);
    file.read("responses", read_responses, settings.responses);
}

}  // namespace runnel::config
