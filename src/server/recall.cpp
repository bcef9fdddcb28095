#include "server/recall.hpp"

#include "store/logs.hpp"
#include "store/usage.hpp"

#include <simdjson.h>

#include <algorithm>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using telemetry::RecentTraffic;
using Slot = RecentTraffic::Slot;
using Time = RecentTraffic::Time;

// How many requests of a minute or an hour stand for all of it where it comes to latencies, which
// the store's sums don't have.
constexpr std::size_t sample_size = 50;

std::chrono::microseconds time_at(simdjson::dom::element record, std::string_view place) {
    double ms = 0;
    if (record.at_pointer(place).get(ms) != simdjson::SUCCESS) return {};
    return std::chrono::microseconds(static_cast<std::int64_t>(ms * 1000));
}

// The latencies of the newest, each as often as makes up for those that are not looked at.
Result<void> add_latencies(store::Database& database, Time until, Slot* slot) {
    auto page = store::list_records(database, {.from = slot->begins, .to = until}, "", sample_size,
                                    store::Detail::record);
    if (!page) return propagate(page);
    if (page->records.empty()) return {};
    const auto sampled = static_cast<std::int64_t>(page->records.size());
    const auto weight =
        static_cast<std::uint32_t>(std::max<std::int64_t>(1, slot->requests / sampled));
    simdjson::dom::parser parser;
    for (const store::Record& record : page->records) {
        simdjson::dom::element json;
        if (parser.parse(record.details_json).get(json) != simdjson::SUCCESS) continue;
        const auto first_token = time_at(json, "/timings_ms/first_token");
        if (first_token.count() > 0) slot->first_token.add(first_token, weight);
        slot->total.add(time_at(json, "/timings_ms/total"), weight);
    }
    return {};
}

struct Steps {
    std::chrono::milliseconds length;
    int count;
    void (RecentTraffic::*recall)(const Slot&);
};
constexpr Steps minutes{1min, 60, &RecentTraffic::recall_minute};
constexpr Steps hours{1h, 7 * 24, &RecentTraffic::recall_hour};

Result<void> recall_one(store::Database& database, Time begins, Time until, const Steps& steps,
                        RecentTraffic* traffic) {
    auto sums = store::usage(database, {.from = begins, .to = until});
    if (!sums) return propagate(sums);
    for (const store::UsageSum& sum : *sums) {  // none, or one
        Slot slot{.begins = begins,
                  .requests = sum.requests,
                  .errors = sum.errors,
                  .input_tokens = sum.tokens.input,
                  .output_tokens = sum.tokens.output,
                  .cost = sum.cost};
        if (auto added = add_latencies(database, until, &slot); !added) return added;
        (traffic->*steps.recall)(slot);
    }
    return {};
}

// Step by step: the sums of a busy hour by the minute, asked for at once, take their time and much
// memory.
Result<void> recall(store::Database& database, const Steps& steps, RecentTraffic* traffic,
                    Time now) {
    const Time running = now - now.time_since_epoch() % steps.length;
    for (int ago = steps.count - 1; ago >= 0; --ago) {
        const Time begins = running - ago * steps.length;
        const Time until = std::min(begins + steps.length, now);
        if (auto done = recall_one(database, begins, until, steps, traffic); !done) return done;
    }
    return {};
}

}  // namespace

void recall_traffic(store::StoreThread* queries, RecentTraffic* traffic, Time now) {
    if (queries == nullptr) return;
    queries->submit([traffic, now](Result<store::Database*> database) {
        // Where the store can't be asked, the overview begins with nothing; its page says why.
        if (database && recall(**database, minutes, traffic, now))
            (void)recall(**database, hours, traffic, now);
    });
}

}  // namespace runnel::server
