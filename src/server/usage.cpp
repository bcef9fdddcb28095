#include "server/usage.hpp"

#include "base/utc_time.hpp"
#include "exchange/await_callback.hpp"
#include "exchange/utc_now.hpp"
#include "json/writer.hpp"
#include "metering/meter.hpp"
#include "server/handlers.hpp"
#include "server/log_query.hpp"

#include <algorithm>
#include <optional>

// What was used and spent, and what may still be.
namespace runnel::server {

using boost::asio::awaitable;
using metering::Claim;
using metering::Hold;
using metering::Holder;
using metering::Standing;
using storage::GroupBy;

namespace {

using Standings = std::vector<Standing>;

// Sums of what was used, by what the query groups them.
std::string usage_json(const storage::UsageQuery& query,
                       const std::vector<storage::UsageSum>& sums) {
    const bool by_time = query.group_by == GroupBy::day || query.group_by == GroupBy::hour;
    std::string body;
    json::Writer out(body);
    out.begin_object().key("object").string("list");
    out.key("from").string(write_utc_time(query.from)).key("to").string(write_utc_time(query.to));
    out.key("data").begin_array();
    for (const storage::UsageSum& sum : sums) {
        out.begin_object();
        if (by_time) {
            out.key("group").string(write_utc_time(sum.begins));
        } else if (query.group_by != GroupBy::nothing) {
            out.key("group").string(sum.group);
        }
        out.key("requests").number(sum.requests).key("errors").number(sum.errors);
        out.key("input_tokens").number(sum.tokens.input);
        out.key("cached_tokens").number(sum.tokens.cached);
        out.key("output_tokens").number(sum.tokens.output);
        out.key("reasoning_tokens").number(sum.tokens.reasoning);
        out.key("cost_usd").real(sum.cost.usd());
        out.key("unpriced_requests").number(sum.unpriced).end_object();
    }
    out.end_array().end_object();
    return body;
}

// A budget may be overdrawn by one request; then nothing is left of it.
Money left_of(const Hold& budget, const Standing& standing) {
    return {std::max<std::int64_t>(0, budget.limit - standing.used)};
}

void write_budget(json::Writer& out, const Hold& budget, const Standing& standing,
                  access::UtcTime now) {
    out.begin_object().key("period").string(name_of(budget.period));
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

awaitable<Result<std::string>> read_balance(metering::Meter* meter, const access::Key* key,
                                            const metering::SharedLimits* limits,
                                            access::UtcTime now) {
    Claim budgets;
    if (key != nullptr) budgets = metering::budgets_of(*key, *limits, now);
    if (budgets.holds.empty()) co_return balance_json(budgets, {}, now);
    const auto ask = [meter, &budgets](metering::Meter::Looked answer) {
        meter->look(budgets, std::move(answer));
    };
    auto standings = co_await exchange::await_callback<Result<Standings>>(ask);
    if (!standings) co_return propagate(standings);
    co_return balance_json(budgets, *standings, now);
}

}  // namespace

std::string balance_json(const Claim& budgets, const Standings& standings, access::UtcTime now) {
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

Answer show_usage(Call call) {
    auto asked = read_usage_query(call.request().query(), call.caller);
    if (!asked) {
        co_await turn_away(call, std::move(asked.error()));
        co_return;
    }
    auto sums = co_await ask_store<std::vector<storage::UsageSum>>(
        call.resources->shared->queries,
        [asked = *asked](storage::Database& database) { return storage::usage(database, asked); });
    if (!sums) {
        co_await turn_away(call, std::move(sums.error()));
        co_return;
    }
    co_await send_json(call, 200, usage_json(*asked, *sums));
}

Answer show_balance(Call call) {
    const auto gateway = call.resources->gateway;
    auto body = co_await read_balance(call.resources->shared->meter, call.caller.key.get(),
                                      &gateway->access.limits, exchange::utc_now());
    co_await send_secret(call, std::move(body));
}

}  // namespace runnel::server
