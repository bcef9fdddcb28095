#include "metering/ledger_sums.hpp"

#include <algorithm>
#include <memory>

namespace runnel::metering {
namespace {

using namespace std::chrono_literals;

constexpr auto seldom = 60s;
constexpr auto often = 5s;
constexpr auto idle_time = 24h;
constexpr auto retry_time = 1s;

bool is_money(const Hold& hold) { return hold.of == Hold::Of::nano_usd; }

Error cannot_be_checked(const Error& why) {
    Error error{ErrorKind::store_unavailable,
                "This request's budget can't be checked: what was spent of it can't be read from "
                "the store at the moment. Try again soon."};
    error.detail = why.message + (why.detail.empty() ? "" : " ") + why.detail;
    error.retry_after = retry_time;
    return error;
}

}  // namespace

LedgerSums::LedgerSums(AskLedger ledger, Now now)
    : ledger_(std::move(ledger)),
      now_(std::move(now)),
      refresh_time_(seldom) {}

// Waits for several sums, which may come on several threads.
class LedgerSums::Gathering {
public:
    Gathering(std::size_t holds, std::size_t missing, Answer answer)
        : sums_(holds),
          missing_(missing),
          answer_(std::move(answer)) {}

    void take(std::size_t hold, Result<LedgerSum> sum) {
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
        if (!sum.known || sum.doubtful || now - sum.asked >= refresh_time_) return std::nullopt;
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
                     [gathering, i](Result<LedgerSum> sum) { gathering->take(i, std::move(sum)); });
}

void LedgerSums::find_one(const Hold& hold, LedgerAnswer answer) {
    const auto now = now_();
    const std::string& name = hold.counter;
    std::optional<LedgerSum> known;
    bool must_ask = false;
    {
        const std::scoped_lock lock(mutex_);
        if (sums_.size() >= sweep_at_) sweep(now);
        Sum& sum = sums_[name];
        sum.used = now;
        if (!sum.doubtful) known = sum.known;
        if (!known) sum.waiting.push_back(std::exchange(answer, nullptr));
        if (!sum.asking && (!known || now - sum.asked >= refresh_time_)) {
            sum.asking = must_ask = true;
            sum.asked = now;
        }
    }
    if (must_ask)
        ledger_(hold.holder, hold.since,
                [this, name, now](Result<LedgerSum> sum) { arrived(name, now, std::move(sum)); });
    if (answer) answer(*known);
}

void LedgerSums::arrived(const std::string& name, Clock::time_point asked, Result<LedgerSum> sum) {
    std::vector<LedgerAnswer> waiting;
    {
        const std::scoped_lock lock(mutex_);
        Sum& entry = sums_[name];
        entry.asking = false;
        if (sum) {
            if (sum->spent < entry.heard.spent) *sum = entry.heard;
            sum->asked = asked;
            entry.known = *sum;
            entry.doubtful = entry.useless = false;
        } else if (entry.known && !entry.useless) {
            entry.doubtful = false;
            sum = *entry.known;
        } else {
            sum = fail(cannot_be_checked(sum.error()));
        }
        waiting = std::exchange(entry.waiting, {});
    }
    for (LedgerAnswer& answer : waiting) answer(sum);
}

void LedgerSums::doubt(Sum& sum, OldOnes old_ones) {
    sum.doubtful = true;
    if (old_ones == OldOnes::will_not_do) sum.useless = true;
}

void LedgerSums::doubt(const Claim& claim, OldOnes old_ones) {
    const std::scoped_lock lock(mutex_);
    for (const Hold& hold : claim.holds)
        if (const auto found = sums_.find(hold.counter); found != sums_.end())
            doubt(found->second, old_ones);
}

void LedgerSums::doubt(OldOnes old_ones) {
    const std::scoped_lock lock(mutex_);
    for (auto& [name, sum] : sums_) doubt(sum, old_ones);
}

void LedgerSums::hear(const Claim& claim, const Sums& told) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        if (!is_money(claim.holds[i])) continue;
        const auto found = sums_.find(claim.holds[i].counter);
        if (found != sums_.end() && told[i].spent >= found->second.heard.spent)
            found->second.heard = told[i];
    }
}

void LedgerSums::refresh(Refresh how) {
    const std::scoped_lock lock(mutex_);
    refresh_time_ = how == Refresh::often ? Clock::duration(often) : Clock::duration(seldom);
}

void LedgerSums::sweep(Clock::time_point now) {
    std::erase_if(sums_, [&](const auto& entry) {
        return !entry.second.asking && now - entry.second.used >= idle_time;
    });
    sweep_at_ = std::max<std::size_t>(1024, 2 * sums_.size());
}

}  // namespace runnel::metering
