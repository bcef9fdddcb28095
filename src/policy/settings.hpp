#pragma once

#include "base/limits.hpp"
#include "base/secret.hpp"
#include "policy/guardrail_rule.hpp"
#include "policy/key.hpp"
#include "policy/price.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the config says about who may do what, and what is kept of it.
namespace runnel::policy {

// Who may ask at all.
struct AuthSettings {
    enum class Mode { open, keys, header } mode = Mode::open;
    std::string header = "x-wallet-address";
    // A header alone is enough, or it must come with the key that is bound to it.
    enum class Wallet { free, required } wallet = Wallet::free;
    bool lenient_addresses = false;  // placeholders such as 0xYourAddress pass too
    bool key_in_query = false;       // ?api-key=
    bool really = false;  // open to whoever reaches an address that is not this machine's alone
    // That an unproven wallet may have run here, by their names in `tools`.
    std::vector<std::string> wallet_tools{};
};

struct CacheSettings {
    std::chrono::seconds ttl{limits::cache_time};
    std::size_t max_bytes = limits::cache_bytes;
    enum class SingleFlight { on, off } single_flight = SingleFlight::on;
};

// Where keys, logs and the ledger are kept.
struct StoreSettings {
    enum class Kind { sqlite, postgres } kind = Kind::sqlite;
    Secret url{};  // postgres://…

    friend bool operator==(const StoreSettings&, const StoreSettings&) = default;
};

// What several machines share: limits, budgets, cache.
struct SharedSettings {
    Secret redis_url{};  // empty: this machine is alone
    enum class WithoutIt { local_limits, refuse } without_it = WithoutIt::local_limits;

    friend bool operator==(const SharedSettings&, const SharedSettings&) = default;
};

// What is kept of requests, and for how long.
struct LogSettings {
    bool keeps_content = false;  // what was said, too
    std::chrono::hours retention{limits::log_retention_time};
    std::size_t journal_bytes = limits::journal_bytes;  // on the disk, while the store is away
};

// Limits and budgets that the config itself sets, beside those of keys.
struct SharedLimits {
    RateLimits each_address{};              // of one client, by its IP address
    RateLimits each_browser_key_address{};  // the same, for keys that everybody can read
    std::vector<std::pair<std::string, Budget>> team_budgets{};
    std::vector<std::pair<std::string, Budget>> model_budgets{};
    std::vector<std::pair<std::string, RateLimits>> model_limits{};
    // Of each caller at one endpoint, by the names in policy/endpoint.hpp.
    std::vector<std::pair<std::string, RateLimits>> endpoint_limits{};
    // Models without a price, for callers that have a budget.
    enum class Unpriced { refuse, allow } unpriced = Unpriced::refuse;
    // Output tokens that are reserved where neither the request nor the model says a maximum.
    std::int64_t reserved_output_tokens = limits::reserved_output_tokens;
};

struct Settings {
    AuthSettings auth{};
    std::optional<CacheSettings> cache{};  // none: answers are not kept
    StoreSettings store{};
    SharedSettings shared{};
    LogSettings logs{};
    SharedLimits limits{};
    std::vector<GuardrailRule> guardrails{};
    std::vector<std::pair<std::string, Price>> prices{};  // before the table that ships with Runnel
    std::string price_file{};                             // in LiteLLM's format; between the two
    double price_multiplier = 1;                          // of all of them
    std::vector<std::pair<std::string, Money>> tool_fees{};  // for one run
};

}  // namespace runnel::policy
