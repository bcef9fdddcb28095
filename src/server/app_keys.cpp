#include "base/percent_encoding.hpp"
#include "server/app.hpp"

#include <string_view>

namespace runnel::server {

using boost::asio::awaitable;

namespace {

// The {id} of /admin/v1/keys/{id} and /admin/v1/keys/{id}/rotate.
std::string key_in(std::string_view path) {
    constexpr std::string_view rotate = "/rotate";
    path.remove_prefix(std::string_view("/admin/v1/keys/").size());
    if (path.ends_with(rotate)) path.remove_suffix(rotate.size());
    return percent_decoded(path);
}

}  // namespace

KeyOffice App::key_office(const Asked& asked) const {
    return {shared_->key_keeper, gateway_, &worker_->ids, actor_of(asked)};
}

store::Actor App::actor_of(const Asked& asked) const {
    store::Actor actor{"token", asked.transaction->client_address};
    const auto by = admits(*asked.transaction);
    if (by && *by == AdminBy::session) actor.name = "console";
    if (by && *by == AdminBy::local_socket) actor = {"socket", ""};
    return actor;
}

// An answer that nobody on its way may keep.
awaitable<void> App::send_secret(Asked asked, Result<std::string> body, int status) {
    asked.transaction->responder->headers().add("Cache-Control", "no-store");
    co_await send_result(asked.transaction, asked.record, std::move(body), status);
}

awaitable<void> App::list_keys(Asked asked) {
    auto body = server::list_keys(keys_.ring().get(), asked.transaction->request.query());
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::create_key(Asked asked) {
    auto body = co_await server::create_key(key_office(asked),
                                            std::move(asked.transaction->request.body), "");
    co_await send_secret(std::move(asked), std::move(body), 201);
}

awaitable<void> App::create_wallet_key(Asked asked) {
    const policy::AuthSettings& auth = gateway_->access.auth;
    if (auth.mode != policy::AuthSettings::Mode::header) {
        co_await refuse(asked.transaction, asked.record,
                        {ErrorKind::not_found, "this is for gateways with auth.mode: header; keys "
                                               "are made at POST /admin/v1/keys"});
        co_return;
    }
    auto wallet = wallet_of(asked.transaction->request.headers, auth);
    if (!wallet) {
        co_await refuse(asked.transaction, asked.record, std::move(wallet.error()));
        co_return;
    }
    auto body = co_await server::create_key(
        key_office(asked), std::move(asked.transaction->request.body), std::move(*wallet));
    co_await send_secret(std::move(asked), std::move(body), 201);
}

awaitable<void> App::show_key(Asked asked) {
    auto body = server::show_key(keys_.ring().get(), key_in(asked.transaction->request.path()));
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::update_key(Asked asked) {
    auto body =
        co_await server::update_key(key_office(asked), key_in(asked.transaction->request.path()),
                                    std::move(asked.transaction->request.body));
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

awaitable<void> App::rotate_key(Asked asked) {
    auto body =
        co_await server::rotate_key(key_office(asked), key_in(asked.transaction->request.path()),
                                    std::move(asked.transaction->request.body));
    co_await send_secret(std::move(asked), std::move(body), 200);
}

awaitable<void> App::revoke_key(Asked asked) {
    auto body =
        co_await server::revoke_key(key_office(asked), key_in(asked.transaction->request.path()));
    co_await send_result(asked.transaction, asked.record, std::move(body));
}

}  // namespace runnel::server
