#include "server/overview.hpp"

#include "json/writer.hpp"
#include "server/admin.hpp"

#include <fmt/format.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using telemetry::Durations;
using telemetry::RecentTraffic;

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

void write_slot(json::Writer& out, const RecentTraffic::Slot& slot) {
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
    std::vector<RecentTraffic::Slot> slots;
};

Result<Series> series_for(std::string_view range, const RecentTraffic& traffic,
                          RecentTraffic::Time now) {
    if (range.empty() || range == "hour") return Series{1min, traffic.minutes(now)};
    if (range == "day") return Series{1h, traffic.hours(24, now)};
    if (range == "week") return Series{1h, traffic.hours(7 * 24, now)};
    return fail_at(ErrorKind::invalid_value, "range",
                   fmt::format("range must be hour, day or week, not '{}'", range));
}

}  // namespace

Result<std::string> overview_answer(std::string_view range, const OverviewSources& sources,
                                    RecentTraffic::Time now) {
    auto series = series_for(range, *sources.traffic, now);
    if (!series) return propagate(series);
    Durations first_token;
    Durations total;
    for (const RecentTraffic::Slot& slot : series->slots) {
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
    for (const RecentTraffic::Slot& slot : series->slots) write_slot(out, slot);
    out.end_array().end_object();
    return body;
}

}  // namespace runnel::server
