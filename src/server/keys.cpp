#include "server/keys.hpp"

#include "config/units.hpp"
#include "dialect/registry.hpp"
#include "exchange/utc_now.hpp"
#include "json/form.hpp"
#include "json/writer.hpp"
#include "policy/credentials.hpp"
#include "policy/key_form.hpp"
#include "policy/key_secret.hpp"
#include "policy/key_view.hpp"
#include "server/url.hpp"
#include "store/ask.hpp"
#include "store/keys.hpp"

#include <fmt/format.h>

namespace runnel::server {

using boost::asio::awaitable;
using policy::Key;
using store::Database;

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds grace_max = 30 * 24h;

policy::KeyFormRules rules_of(const exchange::Gateway& gateway) {
    return {dialect::names(), &gateway.access};
}

Error no_store() {
    return {ErrorKind::store_unavailable,
            "the gateway has no store for keys; its log says why since it was started"};
}

Error no_such_key(std::string_view id) {
    return {ErrorKind::not_found, fmt::format("there is no key '{}'", id)};
}

Result<std::chrono::milliseconds> read_grace(std::string_view body) {
    auto form = json::Form::read(body);
    if (!form) return propagate(form);
    auto fields = form->root().fields();
    if (!fields) return propagate(fields);
    std::chrono::milliseconds grace{0};
    for (const auto& [name, value] : *fields) {
        if (name != "grace")
            return fail_at(ErrorKind::unsupported_parameter, name,
                           fmt::format("there is no field '{}'; rotating takes grace", name));
        if (value.is_null()) continue;
        auto text = value.text(32);
        if (!text) return propagate(text);
        const auto read = config::read_duration(*text);
        if (!read || *read > grace_max)
            return value.must_be("a time such as 30s, 5m or 1h, up to 720h");
        grace = *read;
    }
    return grace;
}

// Has a change made, and waits until it is in effect.
template <class Change>
awaitable<Result<std::string>> make(store::KeyKeeper* keeper, Change change) {
    if (keeper == nullptr) co_return fail(no_store());
    store::Query<std::string> query = keeper->effective(std::move(change));
    co_return co_await store::ask<std::string>(keeper->thread(), std::move(query));
}

}  // namespace

awaitable<Result<std::string>> create_key(KeyOffice office, std::string body, std::string wallet) {
    auto key =
        policy::read_new_key(body, rules_of(*office.gateway), exchange::utc_now(), office.ids);
    if (!key) co_return propagate(key);
    if (!wallet.empty() && !key->wallet.empty() && key->wallet != wallet)
        co_return fail_at(ErrorKind::invalid_value, "wallet",
                          "wallet is another address than the one in the header");
    if (!wallet.empty()) key->wallet = std::move(wallet);
    auto secret = policy::give_secret(&*key);
    if (!secret) co_return propagate(secret);
    auto insert = [key = std::move(*key), secret = std::move(*secret),
                   by = std::move(office.by)](Database& database) -> Result<std::string> {
        if (auto done = store::insert_key(database, key, by); !done) return propagate(done);
        return policy::key_json(key, secret);
    };
    co_return co_await make(office.keeper, std::move(insert));
}

awaitable<Result<std::string>> update_key(KeyOffice office, std::string id, std::string body) {
    auto update = [gateway = std::move(office.gateway), by = std::move(office.by),
                   id = std::move(id),
                   body = std::move(body)](Database& database) -> Result<std::string> {
        const auto change = [&](Key& key) {
            return policy::change_key(&key, body, rules_of(*gateway), exchange::utc_now());
        };
        auto key = store::change_key(database, id, by, change);
        if (!key) return propagate(key);
        return policy::key_json(*key);
    };
    co_return co_await make(office.keeper, std::move(update));
}

awaitable<Result<std::string>> rotate_key(KeyOffice office, std::string id, std::string body) {
    const auto grace = read_grace(body);
    if (!grace) co_return fail(grace.error());
    auto rotate = [by = std::move(office.by), id = std::move(id),
                   grace = *grace](Database& database) -> Result<std::string> {
        Secret secret;
        const auto change = [&](Key& key) -> Result<void> {
            auto given = policy::replace_secret(&key, grace, exchange::utc_now());
            if (!given) return propagate(given);
            secret = std::move(*given);
            return {};
        };
        auto key = store::change_key(database, id, by, change);
        if (!key) return propagate(key);
        return policy::key_json(*key, secret);
    };
    co_return co_await make(office.keeper, std::move(rotate));
}

awaitable<Result<std::string>> revoke_key(KeyOffice office, std::string id) {
    auto revoke = [by = std::move(office.by),
                   id = std::move(id)](Database& database) -> Result<std::string> {
        if (auto done = store::delete_key(database, id, by); !done) return propagate(done);
        std::string body;
        json::Writer out(body);
        out.begin_object().key("id").string(id).key("object").string("key");
        out.key("deleted").boolean(true).end_object();
        return body;
    };
    co_return co_await make(office.keeper, std::move(revoke));
}

Result<std::string> list_keys(const policy::KeyRing* ring, std::string_view query) {
    if (ring == nullptr) return fail(no_store());
    const auto filter = policy::read_key_filter(query_fields(query));
    if (!filter) return fail(filter.error());
    return policy::key_page_json(policy::find_keys(*ring, *filter));
}

Result<std::string> show_key(const policy::KeyRing* ring, std::string_view id) {
    if (ring == nullptr) return fail(no_store());
    const Key* key = ring->find(id);
    if (key == nullptr) return fail(no_such_key(id));
    return policy::key_json(*key);
}

Result<std::string> wallet_of(const http::HeaderList& headers,
                              const policy::AuthSettings& settings) {
    const std::string_view text = headers.get(settings.header);
    if (text.empty())
        return fail(ErrorKind::missing_wallet_address,
                    fmt::format("this needs the wallet address that the key is bound to: send {}: "
                                "0x…",
                                settings.header));
    auto wallet = policy::read_wallet(text, settings);
    if (wallet) return std::move(*wallet);
    return fail(policy::wallet_refused(settings));
}

}  // namespace runnel::server
