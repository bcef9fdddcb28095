#pragma once

#include "base/limits.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <cstddef>

namespace runnel::storage {

// Where keys, logs and the ledger are kept.
struct StoreSettings {
    enum class Kind { sqlite, postgres } kind = Kind::sqlite;
    Secret url{};  // postgres://…

    friend bool operator==(const storage::StoreSettings&, const storage::StoreSettings&) = default;
};

// What several machines share: limits, budgets, cache.
struct SharedSettings {
    Secret redis_url{};  // empty: this machine is alone
    enum class WithoutIt { local_limits, refuse } without_it = WithoutIt::local_limits;

    friend bool operator==(const storage::SharedSettings&,
                           const storage::SharedSettings&) = default;
};

// What is kept of requests, and for how long.
struct LogSettings {
    bool keeps_content = false;  // what was said, too
    std::chrono::hours retention{limits::log_retention_time};
    std::size_t journal_bytes = limits::journal_bytes;  // on the disk, while the store is away
};

// Responses that clients leave with the gateway, to go on from them later.
struct ResponseSettings {
    bool stores = true;  // those whose clients don't say otherwise
    std::chrono::hours retention{limits::log_retention_time};
};

}  // namespace runnel::storage
