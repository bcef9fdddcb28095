#include "metering/local_meter.hpp"

#include <algorithm>
#include <optional>

namespace runnel::metering {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using Of = Hold::Of;

// A claim that is still open after this was forgotten by whoever made it.
constexpr auto lease_time = 24h;

// Between the end of a request's reservation and the moment that the journal has its record.
constexpr auto writing_time = 10ms;

// What a process spends on one budget is remembered in so many parts at most, of at least so long.
constexpr std::size_t spendings_max = 64;
constexpr auto spending_time = 10ms;

// A budget that is full is looked at again, but not for each request that it has no room for.
constexpr auto doubt_time = 1s;

bool counts_money(Of of) { return of == Of::nano_usd; }

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
        if (kept != nullptr && counts_money(hold.of)) learn(*kept, sums[i]);
        seen.push_back({kept, seen_now(hold, kept, sums[i], now)});
        states.push_back({seen[i].state.used, time_left(hold, seen[i].state, now)});
        if (!full && is_full(hold, seen[i].state)) full = i;
    }
    if (full) {
        // What others had reserved may have been less in the end.
        if (counts_money(claim.holds[*full].of) && sums[*full].asked < now - doubt_time)
            sums_->doubt(claim, LedgerSums::OldOnes::will_do);
        return verdict_on(claim, states, full);
    }
    Open open{{}, now};
    open.taken.reserve(claim.holds.size());
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        Counter& counter = seen[i].kept != nullptr ? *seen[i].kept : counters_[hold.counter];
        if (counts_money(hold.of)) {
            learn(counter, sums[i]);
        } else if (begins_with_its_first_request(hold)) {
            counter.used = seen[i].state.used;
            counter.reserved = seen[i].state.reserved;
            counter.until = seen[i].state.until;
            counter.window = seen[i].state.window;
        }
        open.taken.push_back(take(hold, counter, now));
        states[i].used += hold.amount;
    }
    open_.emplace(claim.id, std::move(open));
    return verdict_on(claim, states, full);
}

void LocalMeter::note(const Claim& claim) {
    if (std::ranges::none_of(claim.holds, counts_money, &Hold::of)) return;
    const auto now = now_();
    const std::scoped_lock lock(mutex_);
    if (counters_.size() + open_.size() >= sweep_at_) sweep(now);
    Open open{{}, now};
    for (const Hold& hold : claim.holds)
        if (counts_money(hold.of)) open.taken.push_back(take(hold, counters_[hold.counter], now));
    open_.emplace(claim.id, std::move(open));
}

std::optional<RateState> LocalMeter::glance(const Claim& claim) const {
    const auto now = now_();
    std::vector<CounterState> states(claim.holds.size());
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        if (hold.of != Of::requests) continue;
        const State state = seen_now(hold, find(hold), {}, now);
        states[i] = {state.used, time_left(hold, state, now)};
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
        const State state = seen_now(hold, find(hold), sums[i], now);
        standings.push_back({state.used, state.reserved});
    }
    return standings;
}

const LocalMeter::Counter* LocalMeter::find(const Hold& hold) const {
    const auto found = counters_.find(hold.counter);
    return found == counters_.end() ? nullptr : &found->second;
}

LocalMeter::State LocalMeter::seen_now(const Hold& hold, const Counter* kept, const LedgerSum& sum,
                                       Clock::time_point now) const {
    State state;
    if (kept != nullptr)
        state = {kept->used, kept->reserved, kept->open, kept->window, kept->until};
    if (begins_with_its_first_request(hold) && now >= state.until) {
        state.used = state.reserved = 0;
        state.until = now + hold.lasts;
        ++state.window;
    }
    if (!counts_money(hold.of)) return state;
    state.used = std::max(state.used, sum.spent.nano_usd);
    if (kept != nullptr)
        for (const Spending& own : kept->spent)
            if (own.until >= std::max(kept->as_of, sum.as_of)) state.used += own.amount;
    if (others_) {
        const Reserved others = others_(hold, sum.asked);
        state.reserved += others.amount.nano_usd;
        state.open += others.claims;
    }
    state.used += state.reserved;
    return state;
}

milliseconds LocalMeter::time_left(const Hold& hold, const State& state, Clock::time_point now) {
    return begins_with_its_first_request(hold) ? ceil<milliseconds>(state.until - now) : hold.lasts;
}

bool LocalMeter::is_full(const Hold& hold, const State& state) {
    if (state.used >= hold.limit) return true;
    return counts_money(hold.of) && state.open > 0 && hold.amount > hold.limit - state.used;
}

LocalMeter::Taken LocalMeter::take(const Hold& hold, Counter& counter, Clock::time_point now) {
    if (!begins_with_its_first_request(hold)) counter.until = now + kept_for(hold);
    if (!counts_money(hold.of)) counter.used += hold.amount;
    counter.reserved += hold.amount;
    ++counter.open;
    return {&counter, counter.window, hold.of, hold.amount};
}

// What is in the ledger now is not counted as this process's own any longer. A ledger that says
// less than it did before has lost something.
void LocalMeter::learn(Counter& counter, const LedgerSum& sum) {
    counter.used = std::max(counter.used, sum.spent.nano_usd);
    if (sum.as_of <= counter.as_of) return;
    counter.as_of = sum.as_of;
    std::erase_if(counter.spent, [&](const Spending& own) { return own.until < sum.as_of; });
}

void LocalMeter::spend(Counter& counter, std::int64_t amount, Clock::time_point now) {
    if (amount == 0) return;
    std::vector<Spending>& spent = counter.spent;
    const auto until = now + writing_time;
    if (!spent.empty() && now - spent.back().since < spending_time) {
        spent.back().until = until;
        spent.back().amount += amount;
        return;
    }
    // Of two that are remembered as one, the later moment counts: rather too much than too little.
    if (spent.size() == spendings_max) {
        spent[1].amount += spent[0].amount;
        spent.erase(spent.begin());
    }
    spent.push_back({now, until, amount});
}

void LocalMeter::settle(std::string_view claim_id, const Settlement& settlement) {
    const auto now = now_();
    const std::scoped_lock lock(mutex_);
    const auto found = open_.find(std::string(claim_id));
    if (found == open_.end()) return;
    for (const Taken& taken : found->second.taken) {
        --taken.counter->open;
        // A minute that is over has nothing to correct.
        if (taken.counter->window != taken.window) continue;
        taken.counter->reserved -= taken.amount;
        const std::int64_t used = used_in_the_end(taken.of, settlement);
        if (counts_money(taken.of))
            spend(*taken.counter, used, now);
        else
            taken.counter->used += used - taken.amount;
    }
    open_.erase(found);
}

void LocalMeter::sweep(Clock::time_point now) {
    std::erase_if(open_, [&](const auto& entry) {
        if (now - entry.second.since < lease_time) return false;
        for (const Taken& taken : entry.second.taken) {
            --taken.counter->open;
            if (taken.of == Of::places) taken.counter->used -= taken.amount;
            // What nobody settled counts with what was reserved, until its period ends.
            if (counts_money(taken.of)) {
                taken.counter->reserved -= taken.amount;
                taken.counter->used += taken.amount;
            }
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

}  // namespace runnel::metering
