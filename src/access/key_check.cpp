#include "access/key_check.hpp"

#include "base/address_range.hpp"
#include "base/is_in.hpp"
#include "base/utc_time.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::access {
namespace {

constexpr std::size_t quoted_bytes = 128;  // of a client's name, in a message

constexpr std::string_view browser_fields[] = {
    "model", "messages", "prompt",           "temperature",           "top_p", "top_k", "seed",
    "tools", "stream",   "reasoning_effort", "max_completion_tokens",
};
// The tools of the gateway are not for everybody, and a page that asks for them works without.
constexpr std::string_view ignored_browser_field = "builtin_tools";

bool has_address(const Key& key, std::string_view text) {
    if (key.addresses.empty()) return true;
    const auto address = read_address(text);
    return address && std::ranges::any_of(key.addresses, [&](const std::string& allowed) {
               const auto range = read_address_range(allowed);
               return range && range->contains(*address);
           });
}

Error origin_refused(std::string_view origin) {
    if (origin.empty())
        return {ErrorKind::origin_not_allowed,
                "this key is for the pages of some origins only, and the request has no Origin "
                "header; use a key without origins outside of browsers"};
    return {ErrorKind::origin_not_allowed,
            fmt::format("this key is not for pages of {}; have it added to the key's origins",
                        utf8_prefix(origin, quoted_bytes))};
}

}  // namespace

bool has_scope(const Key& key, Scope scope) {
    return std::ranges::any_of(key.scopes, [&](const std::string& name) {
        return name == every_scope || name == name_of(scope);
    });
}

Result<void> may_visit(const Key& key, const Visit& visit, UtcTime now) {
    if (!key.enabled)
        return fail(ErrorKind::invalid_api_key,
                    "this key is disabled; ask whoever gave it to you to enable it");
    if (key.expires_at && *key.expires_at <= now)
        return fail(ErrorKind::expired_api_key,
                    fmt::format("this key expired at {}; ask for a new one",
                                write_utc_time(*key.expires_at)));
    if (!has_address(key, visit.address))
        return fail(ErrorKind::address_not_allowed,
                    fmt::format("this key is not for requests from {}; have the address added to "
                                "the key's addresses",
                                visit.address));
    if (!key.origins.empty() && std::ranges::find(key.origins, visit.origin) == key.origins.end())
        return fail(origin_refused(visit.origin));
    if (key.kind == Key::Kind::browser && visit.scope != Scope::chat_write &&
        visit.scope != Scope::models_read)
        return fail(ErrorKind::public_key_restricted,
                    "a browser key is for chat and the list of models; use a secret key, and not "
                    "in a browser");
    if (!has_scope(key, visit.scope))
        return fail(ErrorKind::insufficient_scope,
                    fmt::format("this key lacks the scope {}; it has {}", name_of(visit.scope),
                                fmt::join(key.scopes, ", ")));
    return {};
}

bool matches(std::string_view pattern, std::string_view model) {
    if (pattern.ends_with('*')) return model.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern == model;
}

bool has_model(const Key& key, std::span<const std::string> names) {
    return key.models.empty() || std::ranges::any_of(key.models, [&](const std::string& pattern) {
               return std::ranges::any_of(
                   names, [&](const std::string& name) { return matches(pattern, name); });
           });
}

Error model_refused(std::string_view asked) {
    return {ErrorKind::model_not_allowed,
            fmt::format("this key may not use the model '{}'; GET /v1/models lists those it may",
                        utf8_prefix(asked, quoted_bytes)),
            "model"};
}

Error stand_in_refused(std::string_view stand_in) {
    return {ErrorKind::model_not_allowed,
            fmt::format("this model can't stream, and '{}', which stands in for it, is not among "
                        "the models of this key; leave out stream, or have it added to them",
                        stand_in),
            "model"};
}

Result<void> check_browser_request(const chat::Request& request) {
    for (const std::string_view name : request.field_names) {
        if (name == ignored_browser_field || is_in(name, browser_fields)) continue;
        return fail_at(ErrorKind::unsupported_parameter, std::string(name),
                       fmt::format("a browser key's request can't have '{}'; it may have {}",
                                   utf8_prefix(name, quoted_bytes),
                                   fmt::join(browser_fields, ", ")));
    }
    return {};
}

Error browser_model_refused(std::string_view asked) {
    return {ErrorKind::public_key_restricted,
            fmt::format("a browser key names a model by its id, the UUID that the gateway's config "
                        "gives it; '{}' is none",
                        utf8_prefix(asked, quoted_bytes)),
            "model"};
}

}  // namespace runnel::access
