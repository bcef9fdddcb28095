#pragma once

#include "base/money.hpp"
#include "base/result.hpp"
#include "policy/claim.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace runnel::policy {

// What the ledger says was spent by a holder since then. `answer` is called once, at once or later,
// on any thread.
using LedgerAnswer = std::move_only_function<void(Result<Money>)>;
using AskLedger = std::function<void(const Holder& holder, UtcTime since, LedgerAnswer answer)>;

// Remembers what the ledger says of each budget: it is asked when a budget is first touched, and
// after that now and then, in the background. A counter that was lost, or that somebody else's
// spending has passed by, is raised to that: so budgets survive restarts, Redis's own too. It
// outlives what the ledger has still to answer.
class LedgerSums {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    // Without a ledger nothing was spent before.
    explicit LedgerSums(AskLedger ledger, Now now = &Clock::now)
        : ledger_(std::move(ledger)),
          now_(std::move(now)) {}
    LedgerSums(const LedgerSums&) = delete;
    LedgerSums& operator=(const LedgerSums&) = delete;

    // One for each hold of a claim; zero for what is not money.
    using Sums = std::vector<Money>;
    using Answer = std::move_only_function<void(Result<Sums>)>;

    // Where they are all known already and none is to be asked for again.
    std::optional<Sums> known(const Claim& claim);
    // The same, after asking for those that are not known; an error when the ledger can't say. Old
    // ones are good enough while they are asked for again. `answer` is called once, at once or
    // later, on any thread.
    void find(const Claim& claim, Answer answer);

    // The ledger is asked again before anybody gets such a sum, if it is there: those of a claim,
    // or all.
    void doubt(const Claim& claim);
    void doubt();

private:
    struct Sum {
        std::optional<Money> known{};
        bool doubtful = false;  // to be asked for before it is given out
        bool asking = false;
        Clock::time_point asked{};
        Clock::time_point used{};
        std::vector<LedgerAnswer> waiting{};
    };
    class Gathering;

    void find_one(const Hold& hold, LedgerAnswer answer);
    void arrived(const std::string& name, Result<Money> sum);
    void sweep(Clock::time_point now);

    AskLedger ledger_;
    Now now_;
    std::mutex mutex_;
    std::unordered_map<std::string, Sum> sums_;  // by counter
    std::size_t sweep_at_ = 1024;
};

}  // namespace runnel::policy
