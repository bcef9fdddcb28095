#include "server/recall.hpp"

#include "store/append.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using telemetry::RecentTraffic;
using testing::some_noon;

class Recall : public testing::OnEachDatabase {
protected:
    // As an overview that begins now, after these requests.
    void recall_after(const std::vector<store::Record>& records, policy::UtcTime now) {
        auto database = open();
        ASSERT_TRUE(store::append(*database, records));
        store::StoreThread thread(std::move(database));
        std::atomic<bool> over = false;
        recall_traffic(&thread, &traffic_, now);
        thread.submit([&](auto) {
            over = true;
            over.notify_all();
        });
        over.wait(false);
    }

    RecentTraffic traffic_;
};
INSTANTIATE_TEST_SUITE_P(, Recall, testing::each_database(), testing::database_name);

store::Record request(int number, policy::UtcTime time) {
    store::Record record = testing::some_record("e" + std::to_string(number), time);
    record.details_json = R"({"timings_ms":{"first_token":100,"total":400.5}})";
    return record;
}

std::int64_t requests_in(const std::vector<RecentTraffic::Slot>& slots) {
    return std::accumulate(slots.begin(), slots.end(), std::int64_t{0},
                           [](auto sum, const auto& slot) { return sum + slot.requests; });
}

TEST_P(Recall, TheLastHourByTheMinuteAndTheWeekByTheHour) {
    std::vector<store::Record> records;
    for (int i = 0; i < 200; ++i) records.push_back(request(i, some_noon - i * 1h));
    for (int i = 200; i < 400; ++i) records.push_back(request(i, some_noon - 10min));
    records.back().error = "upstream_failed";
    const auto now = some_noon + 1s;
    recall_after(records, now);

    const auto minutes = traffic_.minutes(now);
    EXPECT_EQ(requests_in(minutes), 201);
    EXPECT_EQ(minutes[49].requests, 200);
    EXPECT_EQ(minutes[49].errors, 1);
    EXPECT_EQ(minutes[49].output_tokens, 200 * 500);
    EXPECT_EQ(minutes[49].cost, Money::from_usd(200 * 0.0135));
    EXPECT_NEAR(static_cast<double>(minutes[49].total.percentile(0.5)->count()), 400'500, 80'000);
    EXPECT_NEAR(static_cast<double>(minutes[49].first_token.percentile(0.9)->count()), 100'000,
                20'000);
    EXPECT_FALSE(minutes[48].total.percentile(0.5));

    const auto hours = traffic_.hours(168, now);
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
