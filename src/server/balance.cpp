#include "server/balance.hpp"

#include "base/utc_time.hpp"
#include "exchange/answer_of.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <optional>

namespace runnel::server {

using boost::asio::awaitable;
using policy::Claim;
using policy::Hold;
using policy::Holder;
using policy::Standing;

namespace {

using Standings = std::vector<Standing>;

// A budget may be overdrawn by one request; then nothing is left of it.
Money left_of(const Hold& budget, const Standing& standing) {
    return {std::max<std::int64_t>(0, budget.limit - standing.used)};
}

void write_budget(json::Writer& out, const Hold& budget, const Standing& standing,
                  policy::UtcTime now) {
    out.begin_object().key("period").string(policy::name_of(budget.period));
    out.key("limit_usd").real(Money{budget.limit}.usd());
    out.key("spent_usd").real(Money{standing.used - standing.reserved}.usd());
    out.key("reserved_usd").real(Money{standing.reserved}.usd());
    out.key("remaining_usd").real(left_of(budget, standing).usd());
    out.key("resets_at");
    if (budget.period == Hold::Period::total) {
        out.null();
    } else {
        out.string(write_utc_time(now + budget.lasts));
    }
    out.end_object();
}

}  // namespace

std::string balance_json(const Claim& budgets, const Standings& standings, policy::UtcTime now) {
    std::string body;
    json::Writer out(body);
    const auto write = [&](json::Literal name, Holder::Kind kind) {
        out.key(name);
        const auto found = std::ranges::find(budgets.holds, kind,
                                             [](const Hold& hold) { return hold.holder.kind; });
        if (found == budgets.holds.end()) {
            out.null();
            return;
        }
        const auto index = static_cast<std::size_t>(found - budgets.holds.begin());
        write_budget(out, *found, standings[index], now);
    };
    std::optional<Money> least;
    for (std::size_t i = 0; i < budgets.holds.size(); ++i) {
        const Money left = left_of(budgets.holds[i], standings[i]);
        least = std::min(left, least.value_or(left));
    }
    out.begin_object().key("object").string("balance").key("remaining_usd");
    least ? out.real(least->usd()) : out.null();
    write("key", Holder::Kind::key);
    write("team", Holder::Kind::team);
    out.end_object();
    return body;
}

awaitable<Result<std::string>> read_balance(policy::Meter* meter, policy::Caller caller,
                                            const policy::SharedLimits* limits,
                                            policy::UtcTime now) {
    Claim budgets;
    if (caller.key != nullptr) budgets = policy::budgets_of(*caller.key, *limits, now);
    if (budgets.holds.empty()) co_return balance_json(budgets, {}, now);
    const auto ask = [meter, &budgets](policy::Meter::Looked answer) {
        meter->look(budgets, std::move(answer));
    };
    auto standings = co_await exchange::answer_of<Result<Standings>>(ask);
    if (!standings) co_return propagate(standings);
    co_return balance_json(budgets, *standings, now);
}

}  // namespace runnel::server
