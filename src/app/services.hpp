#pragma once

#include "config/config.hpp"
#include "metering/ledger_sums.hpp"
#include "metering/local_meter.hpp"
#include "storage/journal/journal.hpp"
#include "storage/journal/recorder.hpp"
#include "storage/records/usage.hpp"
#include "storage/redis/meter.hpp"
#include "storage/store_thread.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace runnel::app {

// What the process has besides its requests, as long as it lives: the store with its threads, the
// journal before it, the keys, and what counts limits and budgets.
class Services {
public:
    // Whether any key has one.
    enum class KeyBudgets { none, some };

    // `threads` is how many serve requests. A store that can't be written is an error where budgets
    // need it; elsewhere requests go on, and their records wait in the journal until it can be.
    static Result<std::unique_ptr<Services>> open(const config::Config& config, std::size_t threads,
                                                  KeyBudgets key_budgets);
    ~Services();
    Services(const Services&) = delete;
    Services& operator=(const Services&) = delete;

    storage::JournalWriter* journal_of(std::size_t thread) const { return writers_[thread]; }
    storage::StoreThread* queries() { return queries_ ? &*queries_ : nullptr; }
    const storage::Recorder* recorder() const { return &*recorder_; }
    metering::Meter* meter();
    storage::RedisClient* redis();  // null: this machine is alone

    // What of a config that was read again can be used without a restart. From any thread.
    void use(const config::Config& config);

    // Deletes what is older than the config wants, now and then, from now on.
    void keep_house();

    // When the requests have ended: what they left is brought into the store.
    void stop();

private:
    Services() = default;
    using OpenDatabase = Result<std::unique_ptr<storage::Database>>(const storage::StoreSettings&,
                                                                    const std::filesystem::path&);
    Result<void> open_store(const config::Config& config, OpenDatabase* open);
    void open_journal(const config::Config& config, std::size_t threads);
    void begin_recording();
    Result<void> check_store();
    Result<void> open_meter(const config::Config& config);
    metering::AskLedger ledger();
    storage::SpendScope scope_of(const metering::Holder& holder);
    void settle_crashed(std::string_view claim_id, const storage::Record& record);
    enum class Left { nothing, more };
    // How long what is in the store stays there.
    struct Retention {
        std::chrono::hours records{0};
        std::chrono::hours responses{0};
        friend bool operator==(const Retention&, const Retention&) = default;
    };
    Left forget_older_than(const Retention& retention);

    std::unique_ptr<storage::Database> appending_;  // the recorder's
    std::optional<storage::StoreThread> queries_;
    // What the config says, as it is now.
    std::mutex config_mutex_;
    std::condition_variable_any config_changed_;
    std::map<std::string, std::vector<std::string>> model_names_;  // of those with a budget
    Retention retention_;

    std::unique_ptr<storage::Journal> journal_;
    std::vector<storage::JournalWriter*> writers_;
    std::optional<metering::LedgerSums> sums_;
    std::optional<metering::LocalMeter> local_meter_;
    std::optional<storage::RedisMeter> redis_meter_;
    std::optional<storage::Recorder> recorder_;
    std::jthread house_keeper_;
};

}  // namespace runnel::app
