#pragma once

#include "access/key.hpp"
#include "access/key_view.hpp"
#include "config/config.hpp"
#include "storage/sql/sql.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// `runnel keys …`: works on the store itself; gateways that use it notice within a second.
namespace runnel::cli {

// What the options of `create` and `update` say of a key.
struct KeyOptions {
    std::optional<std::string> name{}, kind{}, team{}, wallet{}, dialect{};
    std::optional<std::string> expires{};  // 30d, 12h, 2027-01-31T12:00:00Z or never
    std::vector<std::string> scopes{}, models{}, tools{}, origins{}, addresses{}, guardrails{};
    std::optional<std::int64_t> rpm{}, rpd{}, tpm{}, tpd{}, concurrency{};
    std::optional<double> budget_usd{};
    std::optional<std::string> period{};
    std::optional<bool> enabled{}, keeps_content{}, may_cache{};
    std::string fields_json{};         // more of them, as the admin API takes them
    std::vector<std::string> clear{};  // fields to take away
};

// The body that the admin API would take for it.
Result<std::string> key_body(const KeyOptions& options, access::UtcTime now);

// A key, with its secret where it is new.
struct ShownKey {
    access::Key key;
    Secret secret{};
};

// The keys in the store that a config names. An error changed nothing.
class KeyCabinet {
public:
    // `config` must outlive it.
    static Result<KeyCabinet> open(const config::Config* config);

    Result<ShownKey> create(const KeyOptions& options);
    Result<ShownKey> update(std::string_view id, const KeyOptions& options);
    Result<ShownKey> rotate(std::string_view id, std::chrono::milliseconds grace);
    Result<void> revoke(std::string_view id);
    Result<ShownKey> show(std::string_view id);
    Result<access::KeyRing> all();

private:
    KeyCabinet(const config::Config* config, std::unique_ptr<storage::Database> database)
        : config_(config),
          database_(std::move(database)) {}

    const config::Config* config_;
    std::unique_ptr<storage::Database> database_;
};

// For people: one key line by line, and many as a table.
std::string describe(const access::Key& key);
std::string key_table(const access::KeyPage& page, access::UtcTime now);

}  // namespace runnel::cli
