#include "cli/keys.hpp"

#include "access/key_form.hpp"
#include "access/key_secret.hpp"
#include "api/registry.hpp"
#include "base/ids.hpp"
#include "base/utc_time.hpp"
#include "config/units.hpp"
#include "json/form.hpp"
#include "json/writer.hpp"
#include "storage/keys/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <pwd.h>
#include <unistd.h>

namespace runnel::cli {
namespace {

using access::Key;
using access::UtcTime;

UtcTime utc_now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

access::KeyFormRules rules_of(const config::Config& config) {
    return {api::chat_dialect_names(), &config.access.auth,
            guardrail::names_of(config.access.guardrails)};
}

// 30d, or what the config takes as a time.
std::optional<std::chrono::milliseconds> read_span(std::string_view text) {
    if (!text.ends_with('d')) return config::read_duration(text);
    unsigned count = 0;
    const char* const end = text.data() + text.size() - 1;
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || rest != end || count > 36'500) return std::nullopt;
    return std::chrono::days(count);
}

void write_expiry(json::Writer& out, const std::string& text, UtcTime now) {
    out.key("expires_at");
    if (text == "never") {
        out.null();
    } else if (const auto span = read_span(text)) {
        out.string(write_utc_time(std::chrono::floor<std::chrono::seconds>(now + *span)));
    } else {
        out.string(text);  // a time, or what is refused in its place
    }
}

void write_text(json::Writer& out, std::string_view name, const std::optional<std::string>& text) {
    if (text) out.key(name).string(*text);
}

void write_flag(json::Writer& out, std::string_view name, const std::optional<bool>& flag) {
    if (flag) out.key(name).boolean(*flag);
}

void write_list(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    out.key(name).begin_array();
    for (const std::string& text : texts) out.string(text);
    out.end_array();
}

void write_limits(json::Writer& out, const KeyOptions& options) {
    const std::pair<std::string_view, std::optional<std::int64_t>> limits[] = {
        {"rpm", options.rpm},
        {"rpd", options.rpd},
        {"tpm", options.tpm},
        {"tpd", options.tpd},
        {"concurrency", options.concurrency}};
    if (std::ranges::none_of(limits, [](const auto& limit) { return limit.second.has_value(); }))
        return;
    out.key("limits").begin_object();
    for (const auto& [name, limit] : limits)
        if (limit) out.key(name).number(*limit);
    out.end_object();
}

void write_budget(json::Writer& out, const KeyOptions& options) {
    if (!options.budget_usd && !options.period) return;
    out.key("budget").begin_object();
    if (options.budget_usd) out.key("usd").real(*options.budget_usd);
    write_text(out, "period", options.period);
    out.end_object();
}

std::string_view state_of(const Key& key, UtcTime now) {
    if (!key.enabled) return "disabled";
    return key.expires_at && *key.expires_at <= now ? "expired" : "active";
}

// Whom the audit log names for a change that is made here.
storage::Actor this_user() {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> names{};
    ::getpwuid_r(::getuid(), &entry, names.data(), names.size(), &found);
    return {"command line", found != nullptr ? found->pw_name : fmt::format("user {}", ::getuid())};
}

std::string all_or(const std::vector<std::string>& texts) {
    return texts.empty() ? "all" : fmt::format("{}", fmt::join(texts, " "));
}

}  // namespace

Result<std::string> key_body(const KeyOptions& options, UtcTime now) {
    std::string body;
    json::Writer out(body);
    out.begin_object();
    if (!options.fields_json.empty()) {
        auto form = json::Form::read(options.fields_json);
        if (!form) return fail(form.error().kind, "--fields: " + form.error().message);
        auto fields = form->root().fields();
        if (!fields) return propagate(fields);
        for (const auto& [name, value] : *fields) out.key(name).raw(value.json());
    }
    for (const std::string& name : options.clear) out.key(name).null();
    write_text(out, "name", options.name);
    write_text(out, "kind", options.kind);
    write_text(out, "team", options.team);
    write_text(out, "wallet", options.wallet);
    write_text(out, "dialect", options.dialect);
    if (options.expires) write_expiry(out, *options.expires, now);
    write_list(out, "scopes", options.scopes);
    write_list(out, "models", options.models);
    write_list(out, "tools", options.tools);
    write_list(out, "origins", options.origins);
    write_list(out, "addresses", options.addresses);
    write_list(out, "guardrails", options.guardrails);
    write_limits(out, options);
    write_budget(out, options);
    write_flag(out, "enabled", options.enabled);
    write_flag(out, "keeps_content", options.keeps_content);
    write_flag(out, "may_cache", options.may_cache);
    out.end_object();
    return body;
}

Result<KeyCabinet> KeyCabinet::open(const config::Config* config) {
    auto database = storage::open_database(config->access.store, config->data);
    if (!database) return propagate(database);
    return KeyCabinet(config, std::move(*database));
}

Result<ShownKey> KeyCabinet::create(const KeyOptions& options) {
    const UtcTime now = utc_now();
    auto body = key_body(options, now);
    if (!body) return propagate(body);
    IdSource ids;
    auto key = access::read_new_key(*body, rules_of(*config_), now, &ids);
    if (!key) return propagate(key);
    auto secret = access::give_secret(&*key);
    if (!secret) return propagate(secret);
    if (auto done = storage::insert_key(*database_, *key, this_user()); !done)
        return propagate(done);
    return ShownKey{std::move(*key), std::move(*secret)};
}

Result<ShownKey> KeyCabinet::update(std::string_view id, const KeyOptions& options) {
    const UtcTime now = utc_now();
    auto body = key_body(options, now);
    if (!body) return propagate(body);
    auto key = storage::change_key(*database_, id, this_user(), [&](Key& changed) {
        return access::change_key(&changed, *body, rules_of(*config_), now);
    });
    if (!key) return propagate(key);
    return ShownKey{std::move(*key)};
}

Result<ShownKey> KeyCabinet::rotate(std::string_view id, std::chrono::milliseconds grace) {
    Secret secret;
    auto key = storage::change_key(*database_, id, this_user(), [&](Key& changed) -> Result<void> {
        auto given = access::replace_secret(&changed, grace, utc_now());
        if (!given) return propagate(given);
        secret = std::move(*given);
        return {};
    });
    if (!key) return propagate(key);
    return ShownKey{std::move(*key), std::move(secret)};
}

Result<void> KeyCabinet::revoke(std::string_view id) {
    return storage::delete_key(*database_, id, this_user());
}

Result<ShownKey> KeyCabinet::show(std::string_view id) {
    auto key = storage::find_key(*database_, id);
    if (!key) return propagate(key);
    if (!*key) return fail(ErrorKind::not_found, fmt::format("there is no key '{}'", id));
    return ShownKey{std::move(**key)};
}

Result<access::KeyRing> KeyCabinet::all() {
    auto list = storage::list_keys(*database_);
    if (!list) return propagate(list);
    return access::KeyRing(std::move(list->keys));
}

std::string describe(const Key& key) {
    auto form = json::Form::read(access::key_json(key));
    std::string text;
    if (!form) return text;
    for (const auto& [name, value] : form->root().fields().value()) {
        const std::string json = value.json();
        if (json == "null" || json == "[]" || json == "{}" || json == R"("")" || name == "object")
            continue;
        text += fmt::format("{:<14} {}\n", name,
                            value.is_string() ? json.substr(1, json.size() - 2) : json);
    }
    return text;
}

std::string key_table(const access::KeyPage& page, UtcTime now) {
    std::vector<std::vector<std::string>> rows{
        {"ID", "KEY", "STATE", "NAME", "TEAM", "MODELS", "EXPIRES"}};
    for (const Key* key : page.keys)
        rows.push_back({key->id, key->masked, std::string(state_of(*key, now)), key->name,
                        key->team, all_or(key->models),
                        key->expires_at ? write_utc_time(*key->expires_at) : "never"});
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += fmt::format("{:<{}}", row[i], i + 1 < row.size() ? widths[i] + 2 : 0);
        text += '\n';
    }
    return text;
}

}  // namespace runnel::cli
