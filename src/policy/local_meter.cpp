#include "policy/local_meter.hpp"

#include <algorithm>
#include <optional>

namespace runnel::policy {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using Of = Hold::Of;

// A claim that is still open after this was forgotten by whoever made it.
constexpr auto lease_time = 24h;

bool begins_with_its_first_request(const Hold& hold) { return hold.period == Hold::Period::minute; }

}  // namespace

void LocalMeter::reserve(const Claim& claim, Answer answer) {
    if (const auto sums = sums_->known(claim)) return answer(decide(claim, *sums));
    sums_->find(claim,
                [this, claim, answer = std::move(answer)](Result<LedgerSums::Sums> sums) mutable {
                    if (sums)
                        answer(decide(claim, *sums));
                    else
                        answer({std::move(sums.error())});
                });
}

Verdict LocalMeter::decide(const Claim& claim, const LedgerSums::Sums& sums) {
    const auto now = now_();
    std::vector<Seen> seen;
    std::vector<CounterState> states;
    std::optional<std::size_t> full;
    seen.reserve(claim.holds.size());
    states.reserve(claim.holds.size());
    const std::scoped_lock lock(mutex_);
    if (counters_.size() + open_.size() >= sweep_at_) sweep(now);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        const auto found = counters_.find(hold.counter);
        Counter* const kept = found == counters_.end() ? nullptr : &found->second;
        seen.push_back({kept, seen_now(hold, kept, sums[i], now)});
        states.push_back({seen[i].counter.used, time_left(hold, seen[i].counter, now)});
        if (!full && is_full(hold, seen[i].counter)) full = i;
    }
    if (full) return verdict_on(claim, states, full);
    Open open{{}, now};
    open.taken.reserve(claim.holds.size());
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        open.taken.push_back(take(claim.holds[i], seen[i], now));
        states[i].used += claim.holds[i].amount;
    }
    open_.emplace(claim.id, std::move(open));
    return verdict_on(claim, states, full);
}

std::optional<RateState> LocalMeter::glance(const Claim& claim) const {
    const auto now = now_();
    std::vector<CounterState> states(claim.holds.size());
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        if (hold.of != Of::requests) continue;
        const Counter counter = seen_now(hold, find(hold), {}, now);
        states[i] = {counter.used, time_left(hold, counter, now)};
    }
    return rate_of(claim, states);
}

void LocalMeter::look(const Claim& claim, Looked answer) {
    sums_->find(claim,
                [this, claim, answer = std::move(answer)](Result<LedgerSums::Sums> sums) mutable {
                    if (sums)
                        answer(standings(claim, *sums));
                    else
                        answer(fail(std::move(sums.error())));
                });
}

std::vector<Standing> LocalMeter::standings(const Claim& claim,
                                            const LedgerSums::Sums& sums) const {
    const auto now = now_();
    std::vector<Standing> standings;
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        const Counter counter = seen_now(hold, find(hold), sums[i], now);
        standings.push_back({counter.used, counter.reserved});
    }
    return standings;
}

const LocalMeter::Counter* LocalMeter::find(const Hold& hold) const {
    const auto found = counters_.find(hold.counter);
    return found == counters_.end() ? nullptr : &found->second;
}

LocalMeter::Counter LocalMeter::seen_now(const Hold& hold, const Counter* kept, Money spent,
                                         Clock::time_point now) {
    Counter counter = kept != nullptr ? *kept : Counter{};
    if (begins_with_its_first_request(hold) && now >= counter.until) {
        counter.used = counter.reserved = 0;
        counter.until = now + hold.lasts;
        ++counter.window;
    }
    counter.used = std::max(counter.used, spent.nano_usd);
    return counter;
}

milliseconds LocalMeter::time_left(const Hold& hold, const Counter& counter,
                                   Clock::time_point now) {
    return begins_with_its_first_request(hold) ? ceil<milliseconds>(counter.until - now)
                                               : hold.lasts;
}

bool LocalMeter::is_full(const Hold& hold, const Counter& counter) {
    if (counter.used >= hold.limit) return true;
    return hold.of == Of::nano_usd && counter.open > 0 && hold.amount > hold.limit - counter.used;
}

LocalMeter::Taken LocalMeter::take(const Hold& hold, const Seen& seen, Clock::time_point now) {
    Counter& counter = seen.kept != nullptr ? *seen.kept : counters_[hold.counter];
    counter = seen.counter;
    if (!begins_with_its_first_request(hold)) counter.until = now + kept_for(hold);
    counter.used += hold.amount;
    counter.reserved += hold.amount;
    ++counter.open;
    return {&counter, counter.window, hold.of, hold.amount};
}

void LocalMeter::settle(std::string_view claim_id, const Settlement& settlement) {
    const std::scoped_lock lock(mutex_);
    const auto found = open_.find(std::string(claim_id));
    if (found == open_.end()) return;
    for (const Taken& taken : found->second.taken) {
        --taken.counter->open;
        // A minute that is over has nothing to correct.
        if (taken.counter->window != taken.window) continue;
        taken.counter->used += used_in_the_end(taken.of, settlement) - taken.amount;
        taken.counter->reserved -= taken.amount;
    }
    open_.erase(found);
}

void LocalMeter::sweep(Clock::time_point now) {
    std::erase_if(open_, [&](const auto& entry) {
        if (now - entry.second.since < lease_time) return false;
        for (const Taken& taken : entry.second.taken) {
            --taken.counter->open;
            if (taken.of == Of::places) taken.counter->used -= taken.amount;
        }
        return true;
    });
    std::erase_if(counters_, [&](const auto& entry) {
        return entry.second.open == 0 && now >= entry.second.until;
    });
    sweep_at_ = std::max<std::size_t>(4096, 2 * (counters_.size() + open_.size()));
}

std::size_t LocalMeter::counter_count() const {
    const std::scoped_lock lock(mutex_);
    return counters_.size();
}

std::size_t LocalMeter::open_count() const {
    const std::scoped_lock lock(mutex_);
    return open_.size();
}

}  // namespace runnel::policy
