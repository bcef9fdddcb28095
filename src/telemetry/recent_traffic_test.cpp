#include "telemetry/recent_traffic.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace runnel::telemetry {
namespace {

using namespace std::chrono_literals;

const RecentTraffic::Time start(std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + 15h);

RequestRecord answered(std::chrono::microseconds total = 100ms) {
    RequestRecord record{.request_id = "req_1"};
    record.status = 200;
    record.first_event = total / 2;
    record.total = total;
    record.usage = timeline::Usage{.fresh_input = 7, .output = 2};
    record.cost = Money::from_usd(0.25);
    return record;
}

std::int64_t requests_in(const std::vector<RecentTraffic::Slot>& slots) {
    return std::accumulate(slots.begin(), slots.end(), std::int64_t{0},
                           [](auto sum, const auto& slot) { return sum + slot.requests; });
}

TEST(RecentTraffic, CountsWhatWasAsked) {
    RecentTraffic traffic;
    traffic.add(answered(), start);
    RequestRecord failed = answered();
    failed.status = 502;
    failed.error_kind = "upstream_failed";
    traffic.add(failed, start + 59s);
    RequestRecord left = answered();
    left.client_closed = true;
    traffic.add(left, start + 60s);

    const auto minutes = traffic.minutes(start + 61s);
    ASSERT_EQ(minutes.size(), 60U);
    EXPECT_EQ(minutes[59].begins, start + 1min);
    EXPECT_EQ(minutes[59].requests, 1);
    EXPECT_EQ(minutes[59].errors, 0);
    EXPECT_EQ(minutes[58].requests, 2);
    EXPECT_EQ(minutes[58].errors, 1);
    EXPECT_EQ(minutes[58].input_tokens, 14);
    EXPECT_EQ(minutes[58].output_tokens, 4);
    EXPECT_EQ(minutes[58].cost, Money::from_usd(0.5));
    EXPECT_EQ(minutes[57].requests, 0);
    EXPECT_EQ(minutes[57].begins, start - 1min);
    EXPECT_NEAR(static_cast<double>(minutes[59].total.percentile(0.5)->count()), 100'000, 20'000);
    EXPECT_EQ(requests_in(traffic.hours(24, start + 61s)), 3);
}

TEST(RecentTraffic, RecallsWhatOthersKnowBesideWhatWasAdded) {
    RecentTraffic traffic;
    traffic.add(answered(), start);
    for (const auto before : {0min, 1min, 59min, 60min, 120min})
        traffic.recall_minute({.begins = start - before, .requests = 10});
    traffic.recall_hour({.begins = start, .requests = 100, .errors = 3});
    traffic.recall_hour({.begins = start - 200h, .requests = 1000});  // a newer one has its place

    EXPECT_EQ(requests_in(traffic.minutes(start)), 1 + 3 * 10);
    EXPECT_EQ(traffic.minutes(start)[59].requests, 11);
    EXPECT_EQ(requests_in(traffic.hours(168, start)), 101);
    EXPECT_EQ(traffic.hours(1, start)[0].errors, 3);
}

TEST(RecentTraffic, ForgetsMinutesAfterAnHourAndHoursAfterAWeek) {
    RecentTraffic traffic;
    traffic.add(answered(), start);
    EXPECT_EQ(requests_in(traffic.minutes(start + 59min)), 1);
    EXPECT_EQ(requests_in(traffic.minutes(start + 60min)), 0);
    EXPECT_EQ(requests_in(traffic.hours(24, start + 23h)), 1);
    EXPECT_EQ(requests_in(traffic.hours(24, start + 24h)), 0);
    EXPECT_EQ(requests_in(traffic.hours(168, start + 167h)), 1);
    EXPECT_EQ(requests_in(traffic.hours(168, start + 168h)), 0);
    // Its place is taken by whatever comes a week later.
    traffic.add(answered(), start + 168h);
    EXPECT_EQ(requests_in(traffic.hours(168, start + 168h)), 1);
}

}  // namespace
}  // namespace runnel::telemetry
