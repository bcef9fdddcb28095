#include "server/admin/overview.hpp"

#include "exchange/utc_now.hpp"
#include "json/writer.hpp"
#include "server/handlers.hpp"
#include "server/url.hpp"
#include "storage/records/logs.hpp"
#include "storage/records/usage.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using telemetry::Durations;
using telemetry::RecentTraffic;
using Slot = RecentTraffic::Slot;
using Time = RecentTraffic::Time;

void write_percentiles(json::Writer& out, json::Literal name, const Durations& durations) {
    out.key(name).begin_object();
    const auto write = [&](json::Literal title, double share) {
        const auto value = durations.percentile(share);
        out.key(title);
        value ? out.real(static_cast<double>(value->count()) / 1000) : out.null();
    };
    write("p50", 0.5);
    write("p90", 0.9);
    write("p99", 0.99);
    out.end_object();
}

void write_slot(json::Writer& out, const Slot& slot) {
    out.begin_object().key("time_ms").number(slot.begins.time_since_epoch().count());
    out.key("requests").number(slot.requests).key("errors").number(slot.errors);
    out.key("input_tokens").number(slot.input_tokens);
    out.key("output_tokens").number(slot.output_tokens);
    out.key("cost_usd").real(slot.cost.usd());
    write_percentiles(out, "first_token_ms", slot.first_token);
    write_percentiles(out, "total_ms", slot.total);
    out.end_object();
}

struct Series {
    std::chrono::milliseconds step;
    std::vector<Slot> slots;
};

Result<Series> series_for(std::string_view range, const RecentTraffic& traffic, Time now) {
    if (range.empty() || range == "hour") return Series{1min, traffic.minutes(now)};
    if (range == "day") return Series{1h, traffic.hours(24, now)};
    if (range == "week") return Series{1h, traffic.hours(7 * 24, now)};
    return fail_at(ErrorKind::invalid_value, "range",
                   fmt::format("range must be hour, day or week, not '{}'", range));
}

// How many requests of a minute or an hour stand for all of it where it comes to latencies, which
// the store's sums don't have.
constexpr std::size_t sample_size = 50;

std::chrono::microseconds time_at(simdjson::dom::element record, std::string_view place) {
    double ms = 0;
    if (record.at_pointer(place).get(ms) != simdjson::SUCCESS) return {};
    return std::chrono::microseconds(static_cast<std::int64_t>(ms * 1000));
}

// The latencies of the newest, each as often as makes up for those that are not looked at.
Result<void> add_latencies(storage::Database& database, Time until, Slot* slot) {
    auto page = storage::list_records(database, {.from = slot->begins, .to = until}, "",
                                      sample_size, storage::Detail::record);
    if (!page) return propagate(page);
    if (page->records.empty()) return {};
    const auto sampled = static_cast<std::int64_t>(page->records.size());
    const auto weight =
        static_cast<std::uint32_t>(std::max<std::int64_t>(1, slot->requests / sampled));
    simdjson::dom::parser parser;
    for (const storage::Record& record : page->records) {
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

Result<void> recall_one(storage::Database& database, Time begins, Time until, const Steps& steps,
                        RecentTraffic* traffic) {
    auto sums = storage::usage(database, {.from = begins, .to = until});
    if (!sums) return propagate(sums);
    for (const storage::UsageSum& sum : *sums) {  // none, or one
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
Result<void> recall(storage::Database& database, const Steps& steps, RecentTraffic* traffic,
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

void write_requests(json::Writer* out, const exchange::Admission::Figures& figures) {
    out->key("requests").begin_object();
    out->key("running").number(static_cast<std::int64_t>(figures.inside));
    out->key("waiting").number(static_cast<std::int64_t>(figures.waiting));
    out->key("limit");
    if (figures.concurrent > 0) {
        out->number(static_cast<std::int64_t>(figures.concurrent));
    } else {
        out->null();
    }
    out->end_object();
}

Result<std::string> overview_json(std::string_view range, const OverviewSources& sources,
                                  Time now) {
    auto series = series_for(range, *sources.traffic, now);
    if (!series) return propagate(series);
    Durations first_token;
    Durations total;
    for (const Slot& slot : series->slots) {
        first_token += slot.first_token;
        total += slot.total;
    }
    std::string body;
    json::Writer out(body);
    out.begin_object().key("range").string(range.empty() ? "hour" : range);
    out.key("now_ms").number(now.time_since_epoch().count());
    out.key("started_ms").number(sources.started.time_since_epoch().count());
    out.key("step_ms").number(series->step.count());
    write_requests(&out, sources.requests);
    write_percentiles(out, "first_token_ms", first_token);
    write_percentiles(out, "total_ms", total);
    out.key("points").begin_array();
    for (const Slot& slot : series->slots) write_slot(out, slot);
    out.end_array().end_object();
    return body;
}

void recall_traffic(storage::StoreThread* queries, RecentTraffic* traffic, Time now) {
    if (queries == nullptr) return;
    queries->submit([traffic, now](Result<storage::Database*> database) {
        // Where the store can't be asked, the overview begins with nothing; its page says why.
        if (database && recall(**database, minutes, traffic, now))
            (void)recall(**database, hours, traffic, now);
    });
}

Answer show_overview(Call call) {
    std::string range;
    for (auto& [name, value] : query_fields(call.request().query()))
        if (name == "range") range = std::move(value);
    const exchange::SharedState& shared = *call.resources->shared;
    const OverviewSources sources{&call.resources->console->traffic,
                                  shared.admissions.requests.figures(), shared.started};
    return send_result(call, overview_json(range, sources, exchange::utc_now()));
}

}  // namespace runnel::server
