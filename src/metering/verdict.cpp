#include "metering/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace runnel::metering {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using Of = Hold::Of;
using Period = Hold::Period;

constexpr auto place_retry_time = 1s;

// "this key", "this key and the model 'gpt-5'".
std::string whose(const Hold& hold) {
    std::string text;
    switch (hold.holder.kind) {
        case Holder::Kind::key: text = "this key"; break;
        case Holder::Kind::team: text = "this key's team"; break;
        case Holder::Kind::model: text = fmt::format("the model '{}'", hold.holder.name); break;
        case Holder::Kind::address: text = "this address"; break;
    }
    if (!hold.model.empty()) text += fmt::format(" and the model '{}'", hold.model);
    if (!hold.endpoint.empty()) text += fmt::format(" at {}", hold.endpoint);
    return text;
}

std::string_view period_words(Period period) {
    switch (period) {
        case Period::minute: return " per minute";
        case Period::day: return " per day";
        case Period::week: return " per week";
        case Period::month: return " per month";
        case Period::none:
        case Period::total: break;
    }
    return "";
}

std::string dollars(std::int64_t nano_usd) {
    constexpr std::int64_t cent = 10'000'000;
    const double usd = Money{nano_usd}.usd();
    return nano_usd % cent == 0 ? fmt::format("${:.2f}", usd) : fmt::format("${}", usd);
}

Error out_of_money(const Hold& hold, std::int64_t used) {
    const ErrorKind kind = hold.holder.kind == Holder::Kind::key
                               ? ErrorKind::key_spend_limit_reached
                               : ErrorKind::insufficient_balance;
    const std::string budget = fmt::format("The budget of {}{} for {}", dollars(hold.limit),
                                           period_words(hold.period), whose(hold));
    if (used >= hold.limit) return {kind, budget + " is used up."};
    return {kind, budget + " has no room for this request: what is left is reserved for others "
                           "that are under way."};
}

Error too_many(const Hold& hold, milliseconds resets_in) {
    const std::string_view what = hold.of == Of::tokens ? "tokens" : "requests";
    Error error{ErrorKind::rate_limit_exceeded,
                fmt::format("The limit of {} {}{} for {} is reached. Try again in {} s.",
                            hold.limit, what, period_words(hold.period), whose(hold),
                            ceil<seconds>(resets_in).count())};
    error.retry_after = resets_in;
    return error;
}

Error too_many_at_once(const Hold& hold) {
    Error error{ErrorKind::concurrency_limit_exceeded,
                fmt::format("The limit of {} requests at a time for {} is reached.", hold.limit,
                            whose(hold))};
    error.retry_after = place_retry_time;
    return error;
}

Error refusal(const Hold& hold, const CounterState& state) {
    switch (hold.of) {
        case Of::nano_usd: return out_of_money(hold, state.used);
        case Of::places: return too_many_at_once(hold);
        case Of::requests:
        case Of::tokens: break;
    }
    return too_many(hold, state.resets_in);
}

}  // namespace

// Minutes before days: what soon passes is what a client can pace itself by.
std::optional<RateState> rate_of(const Claim& claim, std::span<const CounterState> states) {
    std::optional<RateState> tightest;
    Period of_period = Period::none;
    for (std::size_t i = 0; i < claim.holds.size(); ++i) {
        const Hold& hold = claim.holds[i];
        if (hold.of != Of::requests) continue;
        const std::int64_t remaining = std::max<std::int64_t>(0, hold.limit - states[i].used);
        const bool finer = hold.period == Period::minute && of_period == Period::day;
        const bool coarser = hold.period == Period::day && of_period == Period::minute;
        if (tightest && !finer && (coarser || tightest->remaining <= remaining)) continue;
        tightest = {hold.limit, remaining, states[i].resets_in};
        of_period = hold.period;
    }
    return tightest;
}

Verdict verdict_on(const Claim& claim, std::span<const CounterState> states,
                   std::optional<std::size_t> full) {
    Verdict verdict;
    if (full) verdict.refusal = refusal(claim.holds[*full], states[*full]);
    verdict.rate = rate_of(claim, states);
    return verdict;
}

std::int64_t used_in_the_end(Of of, const Settlement& settlement) {
    if (settlement.reached == Settlement::Reached::nobody) return 0;
    switch (of) {
        case Of::requests: return 1;
        case Of::tokens: return settlement.tokens;
        case Of::nano_usd: return settlement.cost.nano_usd;
        case Of::places: break;
    }
    return 0;
}

milliseconds kept_for(const Hold& hold) {
    return hold.period == Period::minute ? hold.lasts : hold.lasts + 24h;
}

}  // namespace runnel::metering
