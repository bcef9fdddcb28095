#pragma once

#include "base/limits.hpp"
#include "cache/answer_cache.hpp"
#include "cache/cache_key.hpp"
#include "cache/settings.hpp"
#include "exchange/cache/answer_copy.hpp"
#include "exchange/cache/single_flight.hpp"
#include "http/server/connection.hpp"
#include "telemetry/request_log.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace runnel::storage {
class RedisClient;
}

namespace runnel::exchange {

// The answers that are kept, and what brings them there. Shared by all threads.
struct SharedCache {
    explicit SharedCache(MemoryBudget* memory) : answers(limits::cache_bytes, memory) {}

    cache::AnswerCache answers;
    SingleFlight single_flight;
    storage::RedisClient* redis = nullptr;  // what machines share; null: nothing
};

// One request's dealings with the cache: finds an answer that was given before,
// or keeps the one that is given now.
class CacheVisit {
public:
    // The pointers must outlive it.
    CacheVisit(const cache::Settings* settings, SharedCache* shared,
               telemetry::RequestRecord* record)
        : settings_(settings),
          shared_(shared),
          record_(record) {}

    enum class Tools { none, some };  // of the gateway's own, that the model has
    // The error is about what the client says of the cache. The request's fields
    // must still be there.
    Result<void> begin(const chat::Request& request, const cache::CacheScope& scope, Tools tools,
                       const http::HeaderList& asked);

    // Null: there is none, so somebody has to be asked. Where somebody else is
    // asking for the very same, that is waited for.
    boost::asio::awaitable<cache::AnswerCache::Answer> find(http::Stop* stop);

    // Something else is asked than what the client asked: the cache has no part in it.
    void leave();

    bool wants_copy() const { return is_open(); }
    // An answer that ended well is kept.
    void keep(const AnswerCopy& copy);

private:
    bool is_open() const { return !key_.empty(); }
    boost::asio::awaitable<cache::AnswerCache::Answer> look_up();
    boost::asio::awaitable<cache::AnswerCache::Answer> look_up_in_redis();

    const cache::Settings* settings_;  // null: there is no cache
    SharedCache* shared_;
    telemetry::RequestRecord* record_;
    std::string key_;  // empty: the request bypasses the cache
    std::chrono::seconds ttl_{0};
    std::optional<SingleFlight::Lead> lead_;
};

}  // namespace runnel::exchange
