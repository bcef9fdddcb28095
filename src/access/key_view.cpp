#include "access/key_view.hpp"

#include "access/key_form.hpp"
#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "base/utc_time.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace runnel::access {
namespace {

constexpr std::size_t page_max = 100;

constexpr std::pair<std::string_view, std::optional<std::int64_t> RateLimits::*> limit_names[] = {
    {"rpm", &RateLimits::rpm},
    {"rpd", &RateLimits::rpd},
    {"tpm", &RateLimits::tpm},
    {"tpd", &RateLimits::tpd},
    {"concurrency", &RateLimits::concurrency},
};

std::string_view name_of(Key::Kind kind) {
    return kind == Key::Kind::browser ? "browser" : "secret";
}

std::string_view name_of(Budget::Period period) {
    switch (period) {
        case Budget::Period::day: return "day";
        case Budget::Period::week: return "week";
        case Budget::Period::month: return "month";
        case Budget::Period::total: break;
    }
    return "total";
}

void write_text(json::Writer& out, json::Literal name, const std::string& text) {
    out.key(name);
    text.empty() ? out.null() : out.string(text);
}

void write_time(json::Writer& out, json::Literal name, const std::optional<UtcTime>& time) {
    out.key(name);
    time ? out.string(write_utc_time(*time)) : out.null();
}

void write_list(json::Writer& out, json::Literal name, const std::vector<std::string>& texts) {
    out.key(name).begin_array();
    for (const std::string& text : texts) out.string(text);
    out.end_array();
}

void write_limits(json::Writer& out, const RateLimits& limits) {
    out.begin_object();
    for (const auto& [name, member] : limit_names)
        if (limits.*member) out.key(name).number(*(limits.*member));
    out.end_object();
}

void write_budget(json::Writer& out, const std::optional<Budget>& budget) {
    out.key("budget");
    if (!budget) {
        out.null();
        return;
    }
    out.begin_object().key("usd").real(budget->limit.usd());
    out.key("period").string(name_of(budget->period)).end_object();
}

void write_key(json::Writer& out, const Key& key, const Secret& secret) {
    out.begin_object().key("id").string(key.id).key("object").string("key");
    if (!secret.empty()) out.key("key").string(secret.reveal());
    out.key("masked").string(key.masked);
    out.key("name").string(key.name).key("kind").string(name_of(key.kind));
    write_text(out, "team", key.team);
    out.key("enabled").boolean(key.enabled);
    write_list(out, "scopes", key.scopes);
    write_list(out, "models", key.models);
    if (key.tools)
        write_list(out, "tools", *key.tools);
    else
        out.key("tools").null();
    write_time(out, "expires_at", key.expires_at);
    write_list(out, "origins", key.origins);
    write_list(out, "addresses", key.addresses);
    write_text(out, "wallet", key.wallet);
    write_text(out, "dialect", key.dialect);
    out.key("limits");
    write_limits(out, key.limits);
    out.key("model_limits").begin_object();
    for (const auto& [model, limits] : key.model_limits) {
        out.key(model);
        write_limits(out, limits);
    }
    out.end_object();
    write_budget(out, key.budget);
    write_list(out, "guardrails", key.guardrails);
    out.key("keeps_content").boolean(key.keeps_content);
    out.key("may_cache").boolean(key.may_cache);
    out.key("metadata").raw(key.metadata_json.empty() ? "{}" : std::string_view(key.metadata_json));
    write_time(out, "old_key_until", key.old_hash_until);
    write_time(out, "created_at", key.created_at);
    write_time(out, "updated_at", key.updated_at);
    out.end_object();
}

template <class T>
bool fits(const std::optional<T>& wanted, const T& value) {
    return !wanted || *wanted == value;
}

bool fits(const KeyFilter& filter, const Key& key) {
    return fits(filter.name, key.name) && fits(filter.team, key.team) &&
           fits(filter.wallet, key.wallet) && fits(filter.kind, key.kind) &&
           fits(filter.enabled, key.enabled);
}

std::unexpected<Error> wrong(std::string_view name, std::string_view wanted) {
    return fail_at(ErrorKind::invalid_value, std::string(name),
                   fmt::format("{} must be {}", name, wanted));
}

Result<void> read_parameter(std::string_view name, const std::string& value, KeyFilter& filter) {
    constexpr std::string_view names[] = {"after", "limit",  "name",   "team",
                                          "kind",  "wallet", "enabled"};
    if (name == "name") {
        filter.name = value;
    } else if (name == "team") {
        filter.team = value;
    } else if (name == "wallet") {
        filter.wallet = ascii::lowered(value);
    } else if (name == "kind") {
        if (value != "secret" && value != "browser") return wrong(name, "secret or browser");
        filter.kind = value == "browser" ? Key::Kind::browser : Key::Kind::secret;
    } else if (name == "enabled") {
        if (value != "true" && value != "false") return wrong(name, "true or false");
        filter.enabled = value == "true";
    } else if (name == "after") {
        if (!is_key_id(value)) return wrong(name, "the last_id of a page");
        filter.after = value;
    } else if (name == "limit") {
        const char* const end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, filter.limit);
        if (error != std::errc() || rest != end || filter.limit < 1 || filter.limit > page_max)
            return wrong(name, fmt::format("a number from 1 to {}", page_max));
    } else {
        std::string help = did_you_mean(name, names);
        if (help.empty()) help = fmt::format("; there are {}", fmt::join(names, ", "));
        return fail_at(ErrorKind::unsupported_parameter, std::string(name),
                       fmt::format("there is no parameter '{}'{}", name, help));
    }
    return {};
}

}  // namespace

std::string key_json(const Key& key, const Secret& secret) {
    std::string text;
    json::Writer out(text);
    write_key(out, key, secret);
    return text;
}

Result<KeyFilter> read_key_filter(std::span<const std::pair<std::string, std::string>> query) {
    KeyFilter filter;
    for (const auto& [name, value] : query)
        if (auto read = read_parameter(name, value, filter); !read) return propagate(read);
    return filter;
}

KeyPage find_keys(const KeyRing& ring, const KeyFilter& filter) {
    const std::vector<Key>& keys = ring.keys();
    // Ids sort by the time they were made at, also those that are gone by now.
    auto at = filter.after.empty() ? keys.end()
                                   : std::ranges::lower_bound(keys, filter.after, {}, &Key::id);
    KeyPage page;
    while (at != keys.begin()) {
        --at;
        if (!fits(filter, *at)) continue;
        if (page.keys.size() == filter.limit) {
            page.has_more = true;
            break;
        }
        page.keys.push_back(&*at);
    }
    return page;
}

std::string key_page_json(const KeyPage& page) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("object").string("list").key("data").begin_array();
    for (const Key* key : page.keys) write_key(out, *key, {});
    out.end_array().key("has_more").boolean(page.has_more).key("last_id");
    page.keys.empty() ? out.null() : out.string(page.keys.back()->id);
    out.end_object();
    return text;
}

}  // namespace runnel::access
