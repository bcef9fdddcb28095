#pragma once

#include "base/money.hpp"
#include "base/result.hpp"
#include "metering/claim.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace runnel::metering {

// What the ledger says was spent.
struct LedgerSum {
    using Time = std::chrono::steady_clock::time_point;

    LedgerSum() = default;
    LedgerSum(Money spent, Time as_of = Time::min()) : spent(spent), as_of(as_of) {}

    Money spent{};
    Time as_of = Time::min();  // what this process had written down before then is in it
    Time asked = Time::min();

    friend bool operator==(const LedgerSum&, const LedgerSum&) = default;
};

// What the ledger says was spent by a holder since then. `answer` is called once, at once or later,
// on any thread.
using LedgerAnswer = std::move_only_function<void(Result<LedgerSum>)>;
using AskLedger =
    std::function<void(const Holder& holder, access::UtcTime since, LedgerAnswer answer)>;

// Remembers what the ledger says of each budget: it is asked when a budget is first touched, and
// after that now and then, in the background. So budgets survive restarts, Redis's own too, and
// somebody else's spending is noticed. It outlives what the ledger has still to answer.
class LedgerSums {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    // Without a ledger nothing was spent before.
    explicit LedgerSums(AskLedger ledger, Now now = &Clock::now);
    LedgerSums(const LedgerSums&) = delete;
    LedgerSums& operator=(const LedgerSums&) = delete;

    // One for each hold of a claim; zero for what is not money.
    using Sums = std::vector<LedgerSum>;
    using Answer = std::move_only_function<void(Result<Sums>)>;

    // Where they are all known already and none is to be asked for again.
    std::optional<Sums> known(const Claim& claim);
    // The same, after asking for those that are not known; an error when the ledger can't say. Old
    // ones are good enough while they are asked for again. `answer` is called once, at once or
    // later, on any thread.
    void find(const Claim& claim, Answer answer);

    // The ledger is asked again before anybody gets such a sum: those of a claim, or all. Where it
    // can't say, an old one will do, or it will not.
    enum class OldOnes { will_do, will_not_do };
    void doubt(const Claim& claim, OldOnes old_ones);
    void doubt(OldOnes old_ones);

    // Whoever counts for several machines has said what was spent, as of when he was asked. Where
    // the ledger says less, it does not have all of that yet.
    void hear(const Claim& claim, const Sums& told);

    // How long others' spending may go unnoticed: as long as usual, or a short while, because
    // nobody but the ledger knows of it.
    enum class Refresh { seldom, often };
    void refresh(Refresh how);

private:
    struct Sum {
        std::optional<LedgerSum> known{};
        LedgerSum heard{};      // from somebody else
        bool doubtful = false;  // to be asked for before it is given out
        bool useless = false;   // and not given out where the ledger can't say
        bool asking = false;
        Clock::time_point asked{};
        Clock::time_point used{};
        std::vector<LedgerAnswer> waiting{};
    };
    class Gathering;

    void find_one(const Hold& hold, LedgerAnswer answer);
    void arrived(const std::string& name, Clock::time_point asked, Result<LedgerSum> sum);
    static void doubt(Sum& sum, OldOnes old_ones);
    void sweep(Clock::time_point now);

    AskLedger ledger_;
    Now now_;
    std::mutex mutex_;
    Clock::duration refresh_time_;
    std::unordered_map<std::string, Sum> sums_;  // by counter
    std::size_t sweep_at_ = 1024;
};

}  // namespace runnel::metering
