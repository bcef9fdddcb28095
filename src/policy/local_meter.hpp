#pragma once

#include "policy/ledger_sums.hpp"
#include "policy/meter.hpp"
#include "policy/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace runnel::policy {

// Counts in memory, for one machine alone. It answers at once, but for the first request on a
// budget, which waits for the ledger.
class LocalMeter final : public Meter {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    // `sums` outlives it.
    explicit LocalMeter(LedgerSums* sums, Now now = &Clock::now)
        : sums_(sums),
          now_(std::move(now)) {}

    void reserve(const Claim& claim, Answer answer) override;
    std::optional<RateState> glance(const Claim& claim) const override;
    void look(const Claim& claim, Looked answer) override;
    void settle(std::string_view claim_id, const Settlement& settlement) override;

    // How many things are remembered, for tests and metrics.
    std::size_t counter_count() const;
    std::size_t open_count() const;

private:
    struct Counter {
        std::int64_t used = 0;
        std::int64_t reserved = 0;  // of that
        std::int64_t open = 0;      // claims that are not settled
        std::uint64_t window = 0;   // the how many-th; only minutes have more than one
        Clock::time_point until{};  // a minute's end; for others, when it may be forgotten
    };
    struct Seen {
        Counter* kept;    // null: it is new
        Counter counter;  // as it is now
    };
    struct Taken {
        Counter* counter;
        std::uint64_t window;
        Hold::Of of;
        std::int64_t amount;
    };
    struct Open {
        std::vector<Taken> taken{};
        Clock::time_point since{};
    };

    Verdict decide(const Claim& claim, const LedgerSums::Sums& sums);
    std::vector<Standing> standings(const Claim& claim, const LedgerSums::Sums& sums) const;
    // Null: it was not there, so it has counted nothing.
    const Counter* find(const Hold& hold) const;
    // A counter as it is now.
    static Counter seen_now(const Hold& hold, const Counter* kept, Money spent,
                            Clock::time_point now);
    static std::chrono::milliseconds time_left(const Hold& hold, const Counter& counter,
                                               Clock::time_point now);
    static bool is_full(const Hold& hold, const Counter& counter);
    Taken take(const Hold& hold, const Seen& seen, Clock::time_point now);
    void sweep(Clock::time_point now);

    LedgerSums* sums_;
    Now now_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Counter> counters_;  // by the hold's counter
    std::unordered_map<std::string, Open> open_;         // by claim id
    std::size_t sweep_at_ = 4096;
};

}  // namespace runnel::policy
