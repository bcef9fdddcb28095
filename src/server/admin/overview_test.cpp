#include "server/admin/overview.hpp"

#include "storage/records/append.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <numeric>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using telemetry::RecentTraffic;
using testing::some_noon;

const RecentTraffic::Time now(std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + 15h +
                              30min);

class OverviewTest : public ::testing::Test {
protected:
    simdjson::dom::element asked(std::string_view range) {
        auto body = overview_json(range, {&traffic_, {3, 1, 0}, now - 1h}, now);
        EXPECT_TRUE(body);
        return parser_.parse(*body);
    }

    RecentTraffic traffic_;
    simdjson::dom::parser parser_;
};

TEST_F(OverviewTest, TellsWhatGoesOnAndWhatWentOn) {
    telemetry::RequestRecord record{.request_id = "req_1"};
    record.status = 200;
    record.first_event = 200ms;
    record.total = 1s;
    traffic_.add(record, now);

    const simdjson::dom::element hour = asked("hour");
    EXPECT_EQ(std::int64_t(hour["requests"]["running"]), 3);
    EXPECT_EQ(std::int64_t(hour["requests"]["waiting"]), 1);
    EXPECT_EQ(std::int64_t(hour["step_ms"]), 60'000);
    EXPECT_NEAR(double(hour["first_token_ms"]["p50"]), 200, 40);
    EXPECT_NEAR(double(hour["total_ms"]["p99"]), 1000, 200);
    const simdjson::dom::array points = hour["points"];
    ASSERT_EQ(points.size(), 60U);
    EXPECT_EQ(std::int64_t(points.at(59)["requests"]), 1);
    EXPECT_EQ(std::int64_t(points.at(0)["requests"]), 0);
    EXPECT_TRUE(points.at(0)["total_ms"]["p50"].is_null());
}

TEST_F(OverviewTest, HasHoursForLongerRanges) {
    EXPECT_EQ(simdjson::dom::array(asked("day")["points"]).size(), 24U);
    EXPECT_EQ(simdjson::dom::array(asked("week")["points"]).size(), 168U);
    EXPECT_EQ(simdjson::dom::array(asked("")["points"]).size(), 60U);
}

TEST_F(OverviewTest, NamesTheRangesThatThereAre) {
    const auto body = overview_json("year", {&traffic_, {}, now}, now);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().param, "range");
}

class Recall : public testing::OnEachDatabase {
protected:
    // As an overview that begins now, after these requests.
    void recall_after(const std::vector<storage::Record>& records, access::UtcTime restart) {
        auto database = open();
        ASSERT_TRUE(storage::append(*database, records));
        storage::StoreThread thread(std::move(database));
        std::atomic<bool> over = false;
        recall_traffic(&thread, &traffic_, restart);
        thread.submit([&](auto) {
            over = true;
            over.notify_all();
        });
        over.wait(false);
    }

    RecentTraffic traffic_;
};
INSTANTIATE_TEST_SUITE_P(, Recall, testing::each_database(), testing::database_name);

storage::Record request(int number, access::UtcTime time) {
    storage::Record record = testing::some_record("e" + std::to_string(number), time);
    record.details_json = R"({"timings_ms":{"first_token":100,"total":400.5}})";
    return record;
}

std::int64_t requests_in(const std::vector<RecentTraffic::Slot>& slots) {
    return std::accumulate(slots.begin(), slots.end(), std::int64_t{0},
                           [](auto sum, const auto& slot) { return sum + slot.requests; });
}

TEST_P(Recall, TheLastHourByTheMinuteAndTheWeekByTheHour) {
    std::vector<storage::Record> records;
    for (int i = 0; i < 200; ++i) records.push_back(request(i, some_noon - i * 1h));
    for (int i = 200; i < 400; ++i) records.push_back(request(i, some_noon - 10min));
    records.back().error = "upstream_failed";
    const auto restart = some_noon + 1s;
    recall_after(records, restart);

    const auto minutes = traffic_.minutes(restart);
    EXPECT_EQ(requests_in(minutes), 201);
    EXPECT_EQ(minutes[49].requests, 200);
    EXPECT_EQ(minutes[49].errors, 1);
    EXPECT_EQ(minutes[49].output_tokens, 200 * 500);
    EXPECT_EQ(minutes[49].cost, Money::from_usd(200 * 0.0135));
    EXPECT_NEAR(static_cast<double>(minutes[49].total.percentile(0.5)->count()), 400'500, 80'000);
    EXPECT_NEAR(static_cast<double>(minutes[49].first_token.percentile(0.9)->count()), 100'000,
                20'000);
    EXPECT_FALSE(minutes[48].total.percentile(0.5));

    const auto hours = traffic_.hours(168, restart);
    EXPECT_EQ(requests_in(hours), 168 + 200);
    EXPECT_TRUE(hours[0].total.percentile(0.5));
}

TEST(RecallWithoutAStore, IsNothing) {
    RecentTraffic traffic;
    recall_traffic(nullptr, &traffic, some_noon);
    EXPECT_EQ(requests_in(traffic.hours(168, some_noon)), 0);
}

}  // namespace
}  // namespace runnel::server
