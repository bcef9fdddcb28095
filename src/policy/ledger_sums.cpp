#include "policy/ledger_sums.hpp"

#include <algorithm>
#include <memory>

namespace runnel::policy {
namespace {

using namespace std::chrono_literals;

constexpr auto refresh_time = 60s;  // how long others' spending may go unnoticed
constexpr auto idle_time = 24h;

bool is_money(const Hold& hold) { return hold.of == Hold::Of::nano_usd; }

}  // namespace

// Waits for several sums, which may come on several threads.
class LedgerSums::Gathering {
public:
    Gathering(std::size_t holds, std::size_t missing, Answer answer)
        : sums_(holds),
          missing_(missing),
          answer_(std::move(answer)) {}

    void take(std::size_t hold, Result<Money> sum) {
        {
            const std::scoped_lock lock(mutex_);
            if (sum)
                sums_[hold] = *sum;
            else
                error_ = std::move(sum.error());
            if (--missing_ > 0) return;
        }
        if (error_)
            answer_(fail(std::move(*error_)));
        else
            answer_(std::move(sums_));
    }

private:
    std::mutex mutex_;
    Sums sums_;
    std::size_t missing_;
    std::optional<Error> error_{};
    Answer answer_;
};

std::optional<LedgerSums::Sums> LedgerSums::known(const Claim& claim) {
    if (!ledger_ || std::ranges::none_of(claim.holds, is_money)) return Sums(claim.holds.size());
    Sums sums(claim.holds.size());
    const auto now = now_();
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        if (!is_money(claim.holds[i])) continue;
        const auto found = sums_.find(claim.holds[i].counter);
        if (found == sums_.end()) return std::nullopt;
        Sum& sum = found->second;
        if (!sum.known || sum.doubtful || now - sum.asked >= refresh_time) return std::nullopt;
        sum.used = now;
        sums[i] = *sum.known;
    }
    return sums;
}

void LedgerSums::find(const Claim& claim, Answer answer) {
    const auto money = static_cast<std::size_t>(std::ranges::count_if(claim.holds, is_money));
    if (!ledger_ || money == 0) return answer(Sums(claim.holds.size()));
    const auto gathering =
        std::make_shared<Gathering>(claim.holds.size(), money, std::move(answer));
    for (std::size_t i = 0; i < claim.holds.size(); ++i)
        if (is_money(claim.holds[i]))
            find_one(claim.holds[i],
                     [gathering, i](Result<Money> sum) { gathering->take(i, std::move(sum)); });
}

void LedgerSums::find_one(const Hold& hold, LedgerAnswer answer) {
    const auto now = now_();
    const std::string& name = hold.counter;
    std::optional<Money> known;
    bool must_ask = false;
    {
        const std::scoped_lock lock(mutex_);
        if (sums_.size() >= sweep_at_) sweep(now);
        Sum& sum = sums_[name];
        sum.used = now;
        if (!sum.doubtful) known = sum.known;
        if (!known) sum.waiting.push_back(std::exchange(answer, nullptr));
        if (!sum.asking && (!known || now - sum.asked >= refresh_time)) {
            sum.asking = must_ask = true;
            sum.asked = now;
        }
    }
    if (must_ask)
        ledger_(hold.holder, hold.since,
                [this, name](Result<Money> sum) { arrived(name, std::move(sum)); });
    if (answer) answer(*known);
}

void LedgerSums::arrived(const std::string& name, Result<Money> sum) {
    std::vector<LedgerAnswer> waiting;
    {
        const std::scoped_lock lock(mutex_);
        Sum& entry = sums_[name];
        entry.asking = false;
        entry.doubtful = false;
        // An old sum is better than none.
        if (!sum && entry.known) sum = *entry.known;
        if (sum) entry.known = *sum;
        waiting = std::exchange(entry.waiting, {});
    }
    for (LedgerAnswer& answer : waiting) answer(sum);
}

void LedgerSums::doubt(const Claim& claim) {
    const std::scoped_lock lock(mutex_);
    for (const Hold& hold : claim.holds)
        if (const auto found = sums_.find(hold.counter); found != sums_.end())
            found->second.doubtful = true;
}

void LedgerSums::doubt() {
    const std::scoped_lock lock(mutex_);
    for (auto& [name, sum] : sums_) sum.doubtful = true;
}

void LedgerSums::sweep(Clock::time_point now) {
    std::erase_if(sums_, [&](const auto& entry) {
        return !entry.second.asking && now - entry.second.used >= idle_time;
    });
    sweep_at_ = std::max<std::size_t>(1024, 2 * sums_.size());
}

}  // namespace runnel::policy
