#include "server/recall.hpp"

#include "store/logs.hpp"

#include <simdjson.h>

namespace runnel::server {
namespace {

using telemetry::RecentTraffic;
using Ended = RecentTraffic::Ended;

constexpr std::size_t requests_max = 20'000;  // a fraction of a second

std::chrono::microseconds time_at(simdjson::dom::element record, std::string_view place) {
    double ms = 0;
    if (record.at_pointer(place).get(ms) != simdjson::SUCCESS) return {};
    return std::chrono::microseconds(static_cast<std::int64_t>(ms * 1000));
}

Ended end_of(const store::Record& record, simdjson::dom::parser& parser) {
    Ended ended{.how = record.error.empty() ? Ended::How::well : Ended::How::failed,
                .input_tokens = record.tokens.input,
                .output_tokens = record.tokens.output,
                .cost = record.cost.value_or(Money{})};
    simdjson::dom::element json;
    if (parser.parse(record.record_json).get(json) == simdjson::SUCCESS) {
        ended.first_token = time_at(json, "/timings_ms/first_token");
        ended.total = time_at(json, "/timings_ms/total");
    }
    return ended;
}

}  // namespace

void recall_traffic(store::StoreThread* queries, RecentTraffic* traffic, RecentTraffic::Time now) {
    if (queries == nullptr) return;
    queries->submit([traffic, now](Result<store::Database*> database) {
        if (!database) return;
        const store::LogFilter last_week{.from = now - std::chrono::days(7), .to = now};
        const auto page =
            store::list_records(**database, last_week, "", requests_max, store::Detail::record);
        if (!page) return;
        simdjson::dom::parser parser;
        for (const store::Record& record : page->records)
            traffic->add(end_of(record, parser), record.time);
    });
}

}  // namespace runnel::server
