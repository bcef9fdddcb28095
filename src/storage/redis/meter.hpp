#pragma once

#include "base/redis_address.hpp"
#include "metering/ledger_sums.hpp"
#include "metering/local_meter.hpp"
#include "metering/meter.hpp"
#include "metering/verdict.hpp"
#include "storage/redis/client.hpp"
#include "storage/redis/last_rates.hpp"
#include "storage/settings.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace runnel::storage {

// Limits and budgets that hold across machines. What happens while Redis can't be reached is the
// config's choice: the machine's own meter counts alone, or nobody is let in. Counting alone begins
// with what the ledger says at that moment, and what this machine has under way; where the ledger
// can't say, nobody is let in whose budget that is.
//
// What is counted for one holder lies in one slot of a cluster, and is decided in one step. A claim
// on several holders is several steps, sent together; what was taken is given back when one of them
// has no room.
class RedisMeter final : public metering::Meter {
public:
    struct Figures {
        bool connected = false;
        std::uint64_t without_redis = 0;  // claims that were decided, or refused, without it
        std::size_t settles_waiting = 0;  // for it to come back
        std::uint64_t settles_lost = 0;   // because too many waited
    };

    // `local` and `sums` outlive it. Without a local meter nobody is let in without Redis.
    RedisMeter(RedisAddress address, metering::LocalMeter* local, metering::LedgerSums* sums,
               RedisClient::Options options = {});

    void reserve(const metering::Claim& claim, Answer answer) override;
    std::optional<metering::RateState> glance(const metering::Claim& claim) const override;
    void look(const metering::Claim& claim, Looked answer) override;
    void settle(std::string_view claim_id, const metering::Settlement& settlement) override;

    // For what else several machines share. Its keys begin with something else than "runnel:{".
    RedisClient& client() { return client_; }
    Figures figures() const;

private:
    using Clock = std::chrono::steady_clock;

    // One counter of a claim, as Redis knows it.
    struct Counter {
        std::size_t hold;  // its place in the claim
        std::string key;
        std::string_view kind;
        metering::Hold::Of of;
        std::string born{};  // as Redis told
    };
    // What a claim has of one holder.
    struct Part {
        std::string id;  // the claim's, in Redis
        std::string record;
        std::vector<Counter> counters{};
    };
    struct Call {
        std::vector<std::string> keys;
        std::vector<std::string> arguments;
    };
    struct Reservation;

    static std::string slot_of(const metering::Hold& hold);
    static std::string spenders_of(const Counter& counter);
    static std::vector<std::string> keys_of(const Part& part);
    static std::vector<Part> parts_of(const metering::Claim& claim, const std::string& id);
    // Whether what the ledger says may be a minute old, as it is while Redis knows better.
    enum class Asked { before, just_now };
    void ask_ledger(const metering::Claim& claim, Asked asked, Answer answer);
    void reserve_in_redis(const metering::Claim& claim, const metering::LedgerSums::Sums& sums,
                          Asked asked, Answer answer);
    void take_reply(const std::shared_ptr<Reservation>& reservation, std::size_t part,
                    Result<RedisReply> reply);
    void decide(Reservation& reservation);
    void decide_without_redis(const metering::Claim& claim, Answer answer);

    struct Looking;
    void look_in_redis(const metering::Claim& claim, metering::LedgerSums::Sums sums,
                       Looked answer);
    void look_without_redis(const metering::Claim& claim, Looked answer);
    static Error cannot_check();

    static Call settle_call(const Part& part, const metering::Settlement& settlement);
    void send_settle(Call call);
    void keep_settle(Call call);

    RedisClient::Options with_hooks(RedisClient::Options options);
    void connected();
    void tick();
    void send_waiting_settles();
    void renew_leases();

    metering::LocalMeter* local_;  // none: nobody is let in
    metering::LedgerSums* sums_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::vector<Part>> open_;  // by claim id
    LastRates last_rates_;
    std::deque<Call> waiting_settles_;
    std::uint64_t settles_lost_ = 0;
    std::uint64_t without_redis_ = 0;
    Clock::time_point renew_at_{};
    std::atomic<bool> alone_ = false;  // claims are decided without Redis
    RedisClient client_;               // last: its thread uses all of the above
};

}  // namespace runnel::storage
