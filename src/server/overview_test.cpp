#include "server/overview.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;

const telemetry::RecentTraffic::Time now(std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) +
                                         15h + 30min);

class OverviewTest : public testing::Test {
protected:
    simdjson::dom::element asked(std::string_view range) {
        auto body = overview_answer(range, {&traffic_, {3, 1, 0}, now - 1h}, now);
        EXPECT_TRUE(body);
        return parser_.parse(*body);
    }

    telemetry::RecentTraffic traffic_;
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
    const auto body = overview_answer("year", {&traffic_, {}, now}, now);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().param, "range");
}

}  // namespace
}  // namespace runnel::server
