#pragma once

#include "metering/ledger_sums.hpp"
#include "metering/meter.hpp"
#include "metering/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace runnel::metering {

// What others on this machine have reserved of a budget, for requests that are under way. `asked`
// is when the ledger was: what it may not have had by then counts as reserved yet. Quick; from any
// thread.
struct Reserved {
    Money amount{};
    std::int64_t claims = 0;
};
using ReservedByOthers =
    std::function<Reserved(const Hold& hold, std::chrono::steady_clock::time_point asked)>;

// Counts in memory, for one machine alone. It answers at once, but for the first request on a
// budget, which waits for the ledger.
//
// Of money, what is used is what the ledger has; what this process spent since, or has not brought
// into the ledger yet; and what is reserved, here and by others. So each is counted once, whoever
// spent it.
class LocalMeter final : public Meter {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    // `sums` outlives it.
    explicit LocalMeter(LedgerSums* sums, Now now = &Clock::now, ReservedByOthers others = {})
        : sums_(sums),
          now_(std::move(now)),
          others_(std::move(others)) {}

    void reserve(const Claim& claim, Answer answer) override;
    // Somebody else has let the claim in: its money is counted here too, should that be needed.
    void note(const Claim& claim);
    std::optional<RateState> glance(const Claim& claim) const override;
    void look(const Claim& claim, Looked answer) override;
    void settle(std::string_view claim_id, const Settlement& settlement) override;

    // How many things are remembered, for tests and metrics.
    std::size_t counter_count() const;
    std::size_t open_count() const;

private:
    // Spent by this process in a moment.
    struct Spending {
        Clock::time_point since;
        Clock::time_point until;
        std::int64_t amount;
    };
    struct Counter {
        std::int64_t used = 0;      // of money: what the ledger has
        std::int64_t reserved = 0;  // of that; of money: beside it
        std::int64_t open = 0;      // claims that are not settled
        std::uint64_t window = 0;   // the how many-th; only minutes have more than one
        Clock::time_point until{};  // a minute's end; for others, when it may be forgotten
        Clock::time_point as_of = Clock::time_point::min();  // what was spent before is in `used`
        std::vector<Spending> spent{};                       // of money, since `as_of`, in order
    };
    // A counter as it is now.
    struct State {
        std::int64_t used = 0;  // with what is reserved
        std::int64_t reserved = 0;
        std::int64_t open = 0;
        std::uint64_t window = 0;
        Clock::time_point until{};
    };
    struct Seen {
        Counter* kept;  // null: it is new
        State state;
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
    State seen_now(const Hold& hold, const Counter* kept, const LedgerSum& sum,
                   Clock::time_point now) const;
    static std::chrono::milliseconds time_left(const Hold& hold, const State& state,
                                               Clock::time_point now);
    static bool is_full(const Hold& hold, const State& state);
    Taken take(const Hold& hold, Counter& counter, Clock::time_point now);
    static void learn(Counter& counter, const LedgerSum& sum);
    static void spend(Counter& counter, std::int64_t amount, Clock::time_point now);
    void sweep(Clock::time_point now);

    LedgerSums* sums_;
    Now now_;
    ReservedByOthers others_;  // none: there are no others
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Counter> counters_;  // by the hold's counter
    std::unordered_map<std::string, Open> open_;         // by claim id
    std::size_t sweep_at_ = 4096;
};

}  // namespace runnel::metering
