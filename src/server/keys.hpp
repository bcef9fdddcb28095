#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "exchange/gateway.hpp"
#include "policy/key_ring.hpp"
#include "store/audit.hpp"
#include "store/key_keeper.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

// The admin API's answers about keys, as JSON. An error is the request's, or the store's; then
// nothing was changed.
namespace runnel::server {

// Where the keys of a request's answer come from.
struct KeyOffice {
    store::KeyKeeper* keeper;                          // null: there is no store
    std::shared_ptr<const exchange::Gateway> gateway;  // what a key may refer to
    IdSource* ids;                                     // this thread's
    store::Actor by;                                   // who asks
};

// POST /admin/v1/keys: the only time that the secret is shown. `wallet` is the address that it is
// bound to; empty: what the body says.
boost::asio::awaitable<Result<std::string>> create_key(KeyOffice office, std::string body,
                                                       std::string wallet);
// PATCH /admin/v1/keys/{id}
boost::asio::awaitable<Result<std::string>> update_key(KeyOffice office, std::string id,
                                                       std::string body);
// POST /admin/v1/keys/{id}/rotate, perhaps with {"grace": "1h"} for the old secret.
boost::asio::awaitable<Result<std::string>> rotate_key(KeyOffice office, std::string id,
                                                       std::string body);
// DELETE /admin/v1/keys/{id}
boost::asio::awaitable<Result<std::string>> revoke_key(KeyOffice office, std::string id);

// GET /admin/v1/keys?after=&limit=&team=… and GET /admin/v1/keys/{id}, as they are in use here. A
// null ring is one that could not be read yet.
Result<std::string> list_keys(const policy::KeyRing* ring, std::string_view query);
Result<std::string> show_key(const policy::KeyRing* ring, std::string_view id);

// The address in the header that the settings name, which the key is to be bound to.
Result<std::string> wallet_of(const http::HeaderList& headers,
                              const policy::AuthSettings& settings);

}  // namespace runnel::server
