#include "metering/claim.hpp"

#include "base/is_in.hpp"
#include "metering/client_network.hpp"
#include "metering/cost.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace runnel::metering {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using Of = Hold::Of;
using Period = Hold::Period;

// As long as anybody waits between two requests on a budget that never ends. What was spent is in
// the ledger too.
constexpr auto endless_budget_time = 40 * 24h;

constexpr std::size_t counter_name_bytes = 64;  // of most

struct Span {
    access::UtcTime begins;
    access::UtcTime ends;
};

// The calendar's period around a moment.
Span period_around(access::UtcTime now, Period period) {
    const sys_days today = floor<days>(now);
    switch (period) {
        case Period::week: {
            const sys_days monday = today - (weekday(today) - Monday);
            return {monday, monday + days(7)};
        }
        case Period::month: {
            const year_month_day date(today);
            const year_month_day_last last(date.year(), date.month() / std::chrono::last);
            return {sys_days(date.year() / date.month() / 1), sys_days(last) + days(1)};
        }
        default: return {today, today + days(1)};
    }
}

// 20261115, the day that a period begins with.
std::string name_of_day(access::UtcTime time) {
    const year_month_day date(floor<days>(time));
    const int month_and_day = static_cast<int>(static_cast<unsigned>(date.month())) * 100 +
                              static_cast<int>(static_cast<unsigned>(date.day()));
    return std::to_string(static_cast<int>(date.year()) * 10'000 + month_and_day);
}

std::string_view word_for(Holder::Kind kind) {
    constexpr std::string_view words[] = {"key", "team", "model", "address"};
    return words[static_cast<std::size_t>(kind)];
}

Period period_of(access::Budget::Period period) {
    switch (period) {
        case access::Budget::Period::day: return Period::day;
        case access::Budget::Period::week: return Period::week;
        case access::Budget::Period::month: return Period::month;
        case access::Budget::Period::total: break;
    }
    return Period::total;
}

std::string_view word_for(Of of) {
    switch (of) {
        case Of::requests: return "requests";
        case Of::tokens: return "tokens";
        case Of::places: return "places";
        case Of::nano_usd: break;
    }
    return "spent";
}

// Where a limit is not for all that its holder does: what it is for.
struct Only {
    std::string_view model{};
    std::string_view endpoint{};
};

class ClaimMaker {
public:
    ClaimMaker(Claim& claim, const ClaimFacts& facts, access::UtcTime now)
        : claim_(claim),
          facts_(facts),
          now_(now) {}

    void add(const Holder& holder, const access::Budget& budget) {
        const Money cost =
            facts_.price ? most_expensive(facts_.input_tokens, facts_.output_tokens, *facts_.price)
                         : Money{};
        add(Of::nano_usd, period_of(budget.period), holder, budget.limit.nano_usd, cost.nano_usd);
    }

    void add(const Holder& holder, const access::RateLimits& limits, Only only = {}) {
        const std::int64_t tokens = facts_.input_tokens + facts_.output_tokens;
        const auto add_one = [&](Of of, Period period, const std::optional<std::int64_t>& limit,
                                 std::int64_t amount) {
            if (limit) add(of, period, holder, *limit, amount, only);
        };
        add_one(Of::requests, Period::minute, limits.rpm, 1);
        add_one(Of::requests, Period::day, limits.rpd, 1);
        add_one(Of::tokens, Period::minute, limits.tpm, tokens);
        add_one(Of::tokens, Period::day, limits.tpd, tokens);
        add_one(Of::places, Period::none, limits.concurrency, 1);
    }

private:
    void add(Of of, Period period, const Holder& holder, std::int64_t limit, std::int64_t amount,
             Only only = {}) {
        Hold& hold = claim_.holds.emplace_back(of, period, holder);
        std::string& name = hold.counter;
        name.reserve(counter_name_bytes);
        name.append(word_for(holder.kind)).append(":").append(holder.name).append("/");
        hold.own_name_at = name.size();
        name.append(word_for(of)).append(":").append(name_of(period));
        if (period == Period::minute) {
            hold.lasts = 1min;
        } else if (period == Period::total) {
            hold.lasts = endless_budget_time;
        } else if (period != Period::none) {
            const Span span = period_around(now_, period);
            name.append(":").append(name_of_day(span.begins));
            hold.lasts = span.ends - now_;
            hold.since = span.begins;
        }
        if (!only.model.empty()) name.append(":").append(only.model);
        if (!only.endpoint.empty()) name.append("@").append(only.endpoint);
        hold.limit = limit;
        hold.amount = amount;
        hold.model = only.model;
        hold.endpoint = only.endpoint;
    }

    Claim& claim_;
    const ClaimFacts& facts_;
    access::UtcTime now_;
};

template <class Limit>
const Limit* find_for(const std::vector<std::pair<std::string, Limit>>& limits,
                      std::string_view name) {
    const auto found = std::ranges::find(limits, name, &std::pair<std::string, Limit>::first);
    return found == limits.end() ? nullptr : &found->second;
}

// Those of what is asked, whatever name of it they are written under.
template <class Limit>
auto limits_for(const std::vector<std::pair<std::string, Limit>>& limits, const ClaimFacts& facts) {
    return std::views::filter(limits, [&facts](const std::pair<std::string, Limit>& limit) {
        return limit.first == facts.model || is_in(limit.first, facts.also);
    });
}

void add_model_budgets(const ClaimFacts& facts, const SharedLimits& limits, ClaimMaker& maker) {
    for (const auto& [name, budget] : limits_for(limits.model_budgets, facts))
        maker.add({Holder::Kind::model, name}, budget);
}

void add_model_limits(const ClaimFacts& facts, const SharedLimits& limits, ClaimMaker& maker) {
    if (facts.key != nullptr)
        for (const auto& [name, own] : limits_for(facts.key->model_limits, facts))
            maker.add({Holder::Kind::key, facts.key->id}, own, {.model = name});
    for (const auto& [name, own] : limits_for(limits.model_limits, facts))
        maker.add({Holder::Kind::model, name}, own);
}

void add_budgets_of(const access::Key& key, const SharedLimits& limits, ClaimMaker& maker) {
    if (key.budget) maker.add({Holder::Kind::key, key.id}, *key.budget);
    if (key.team.empty()) return;
    if (const access::Budget* budget = find_for(limits.team_budgets, key.team))
        maker.add({Holder::Kind::team, key.team}, *budget);
}

Holder address_of(const ClaimFacts& facts) {
    return {Holder::Kind::address, client_network(facts.client_address)};
}

// The same address may use several keys, and has so much with each of them.
Holder address_with_key(const ClaimFacts& facts) {
    return {Holder::Kind::address, facts.key->id + '/' + address_of(facts).name};
}

bool is_browser(const access::Key* key) {
    return key != nullptr && key->kind == access::Key::Kind::browser;
}

// Each caller has so much: a key, each visitor of a page that has one, or an address without any.
void add_endpoint_limits(const ClaimFacts& facts, const SharedLimits& limits, ClaimMaker& maker) {
    const access::RateLimits* own = find_for(limits.endpoint_limits, facts.endpoint);
    if (own == nullptr) return;
    const Only only{.endpoint = facts.endpoint};
    if (facts.key != nullptr && !is_browser(facts.key))
        maker.add({Holder::Kind::key, facts.key->id}, *own, only);
    else if (!facts.client_address.empty())
        maker.add(facts.key ? address_with_key(facts) : address_of(facts), *own, only);
}

}  // namespace

std::string name_of(const Holder& holder) {
    return std::string(word_for(holder.kind)) + ':' + holder.name;
}

std::string_view name_of(Hold::Period period) {
    switch (period) {
        case Period::none: return "now";
        case Period::minute: return "minute";
        case Period::day: return "day";
        case Period::week: return "week";
        case Period::month: return "month";
        case Period::total: break;
    }
    return "total";
}

Claim make_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                 access::UtcTime now) {
    Claim claim{std::move(id)};
    claim.holds.reserve(8);
    ClaimMaker maker(claim, facts, now);
    const access::Key* key = facts.key;
    // What can't be had for a long time first: it is the better answer where several are full.
    if (key) add_budgets_of(*key, limits, maker);
    add_model_budgets(facts, limits, maker);
    if (key) maker.add({Holder::Kind::key, key->id}, key->limits);
    add_model_limits(facts, limits, maker);
    if (!facts.client_address.empty()) {
        maker.add(address_of(facts), limits.each_address);
        if (is_browser(key)) maker.add(address_with_key(facts), limits.each_browser_key_address);
    }
    add_endpoint_limits(facts, limits, maker);
    return claim;
}

Claim model_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                  access::UtcTime now) {
    Claim claim{std::move(id)};
    ClaimMaker maker(claim, facts, now);
    add_model_budgets(facts, limits, maker);
    add_model_limits(facts, limits, maker);
    return claim;
}

Claim endpoint_claim(std::string id, const ClaimFacts& facts, const SharedLimits& limits,
                     access::UtcTime now) {
    Claim claim{std::move(id)};
    ClaimMaker maker(claim, facts, now);
    add_endpoint_limits(facts, limits, maker);
    return claim;
}

bool may_limit_requests(const access::Key* key, const SharedLimits& limits) {
    const auto limited = [](const access::RateLimits& rates) { return rates.rpm || rates.rpd; };
    if (key != nullptr && (limited(key->limits) || !key->model_limits.empty())) return true;
    return limited(limits.each_address) || limited(limits.each_browser_key_address) ||
           !limits.model_limits.empty() || !limits.endpoint_limits.empty();
}

Claim budgets_of(const access::Key& key, const SharedLimits& limits, access::UtcTime now) {
    Claim claim{};
    const ClaimFacts facts{.key = &key};
    ClaimMaker maker(claim, facts, now);
    add_budgets_of(key, limits, maker);
    return claim;
}

}  // namespace runnel::metering
