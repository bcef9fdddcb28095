#include "storage/keys/keys.hpp"

#include "access/credentials.hpp"
#include "access/key_form.hpp"
#include "access/key_ring.hpp"
#include "access/key_secret.hpp"
#include "access/key_view.hpp"
#include "api/registry.hpp"
#include "config/units.hpp"
#include "exchange/utc_now.hpp"
#include "json/form.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/url.hpp"
#include "storage/ask.hpp"
#include "storage/keys/key_keeper.hpp"

#include <fmt/format.h>

// The keys: changes are in effect when they are answered. An error is the request's, or the
// store's; then nothing was changed.
namespace runnel::server {

using access::Key;
using boost::asio::awaitable;
using storage::Database;

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds grace_max = 30 * 24h;

access::KeyFormRules rules_of(const exchange::Gateway& gateway) {
    return {api::chat_dialect_names(), &gateway.access.auth,
            guardrail::names_of(gateway.access.guardrails)};
}

Error no_store() {
    return {ErrorKind::store_unavailable,
            "the gateway has no store for keys; its log says why since it was started"};
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
awaitable<Result<std::string>> make_change(const Call* call, Change change) {
    storage::KeyKeeper* keeper = call->resources->shared->key_keeper;
    if (keeper == nullptr) co_return fail(no_store());
    storage::Query<std::string> query = keeper->effective(std::move(change));
    co_return co_await storage::ask<std::string>(keeper->thread(), std::move(query));
}

// The only time that the secret is shown. `wallet` is the address that the key is bound to; empty:
// what the body says.
awaitable<Result<std::string>> make_key(const Call* call, std::string wallet) {
    auto key = access::read_new_key(call->request().body, rules_of(call->gateway()),
                                    exchange::utc_now(), &call->resources->worker->ids);
    if (!key) co_return propagate(key);
    if (!wallet.empty() && !key->wallet.empty() && key->wallet != wallet)
        co_return fail_at(ErrorKind::invalid_value, "wallet",
                          "wallet is another address than the one in the header");
    if (!wallet.empty()) key->wallet = std::move(wallet);
    auto secret = access::give_secret(&*key);
    if (!secret) co_return propagate(secret);
    auto insert = [key = std::move(*key), secret = std::move(*secret),
                   by = actor_of(*call)](Database& database) -> Result<std::string> {
        if (auto done = storage::insert_key(database, key, by); !done) return propagate(done);
        return access::key_json(key, secret);
    };
    co_return co_await make_change(call, std::move(insert));
}

// Gives the key another secret; the old one is good for the grace that the body says, if any.
awaitable<Result<std::string>> replace_secret(const Call* call) {
    const auto grace = read_grace(call->request().body);
    if (!grace) co_return fail(grace.error());
    auto rotate = [by = actor_of(*call), id = call->path_variable(),
                   grace = *grace](Database& database) -> Result<std::string> {
        Secret secret;
        const auto change = [&](Key& key) -> Result<void> {
            auto given = access::replace_secret(&key, grace, exchange::utc_now());
            if (!given) return propagate(given);
            secret = std::move(*given);
            return {};
        };
        auto key = storage::change_key(database, id, by, change);
        if (!key) return propagate(key);
        return access::key_json(*key, secret);
    };
    co_return co_await make_change(call, std::move(rotate));
}

Result<std::string> key_list_json(const access::KeyRing* ring, std::string_view query) {
    if (ring == nullptr) return fail(no_store());
    const auto filter = access::read_key_filter(query_fields(query));
    if (!filter) return fail(filter.error());
    return access::key_page_json(access::find_keys(*ring, *filter));
}

Result<std::string> known_key_json(const access::KeyRing* ring, std::string_view id) {
    if (ring == nullptr) return fail(no_store());
    const Key* key = ring->find(id);
    if (key == nullptr) return fail(ErrorKind::not_found, fmt::format("there is no key '{}'", id));
    return access::key_json(*key);
}

// The address in the header that the settings name, which the key is to be bound to.
Result<std::string> wallet_of(const http::HeaderList& headers,
                              const access::AuthSettings& settings) {
    if (settings.mode != access::AuthSettings::Mode::header)
        return fail(ErrorKind::not_found, "this is for gateways with auth.mode: header; keys are "
                                          "made at POST /admin/v1/keys");
    const std::string_view text = headers.get(settings.header);
    if (text.empty())
        return fail(ErrorKind::missing_wallet_address,
                    fmt::format("this needs the wallet address that the key is bound to: send {}: "
                                "0x…",
                                settings.header));
    auto wallet = access::read_wallet(text, settings);
    if (wallet) return std::move(*wallet);
    return fail(access::wallet_refused(settings));
}

}  // namespace

// As they are in use here: another thread may be a moment ahead.
Answer list_keys(Call call) {
    return send_result(call,
                       key_list_json(call.resources->keys.ring().get(), call.request().query()));
}

Answer show_key(Call call) {
    return send_result(call,
                       known_key_json(call.resources->keys.ring().get(), call.path_variable()));
}

Answer create_key(Call call) {
    auto body = co_await make_key(&call, "");
    co_await send_secret(call, std::move(body), 201);
}

Answer create_wallet_key(Call call) {
    auto wallet = wallet_of(call.request().headers, call.gateway().access.auth);
    if (!wallet) {
        co_await refuse(call, std::move(wallet.error()));
        co_return;
    }
    auto body = co_await make_key(&call, std::move(*wallet));
    co_await send_secret(call, std::move(body), 201);
}

Answer update_key(Call call) {
    auto update =
        [gateway = call.resources->gateway, by = actor_of(call), id = call.path_variable(),
         body = std::move(call.request().body)](Database& database) -> Result<std::string> {
        const auto change = [&](Key& key) {
            return access::change_key(&key, body, rules_of(*gateway), exchange::utc_now());
        };
        auto key = storage::change_key(database, id, by, change);
        if (!key) return propagate(key);
        return access::key_json(*key);
    };
    auto body = co_await make_change(&call, std::move(update));
    co_await send_result(call, std::move(body));
}

Answer rotate_key(Call call) {
    auto body = co_await replace_secret(&call);
    co_await send_secret(call, std::move(body));
}

Answer revoke_key(Call call) {
    auto revoke = [by = actor_of(call),
                   id = call.path_variable()](Database& database) -> Result<std::string> {
        if (auto done = storage::delete_key(database, id, by); !done) return propagate(done);
        std::string body;
        json::Writer out(body);
        out.begin_object().key("id").string(id).key("object").string("key");
        out.key("deleted").boolean(true).end_object();
        return body;
    };
    auto body = co_await make_change(&call, std::move(revoke));
    co_await send_result(call, std::move(body));
}

}  // namespace runnel::server
