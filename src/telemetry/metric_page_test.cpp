#include "telemetry/metric_page.hpp"

#include "telemetry/histogram.hpp"

#include <gmock/gmock.h>

namespace runnel::telemetry {
namespace {

using testing::HasSubstr;

TEST(MetricPage, IsInPrometheussTextFormat) {
    MetricPage page;
    page.counter("tokens_total", "Tokens used").value(3.0, {{"kind", "input"}});
    page.gauge("streams_open", "Streams").value(2.0);
    EXPECT_EQ(page.text(), "# HELP tokens_total Tokens used\n"
                           "# TYPE tokens_total counter\n"
                           "tokens_total{kind=\"input\"} 3\n"
                           "# HELP streams_open Streams\n"
                           "# TYPE streams_open gauge\n"
                           "streams_open 2\n");
}

TEST(MetricPage, LabelsAreEscaped) {
    MetricPage page;
    page.counter("runs_total", "Runs").value(1.0, {{"tool", "a\"b\\c\nd"}});
    EXPECT_THAT(page.text(), HasSubstr(R"(runs_total{tool="a\"b\\c\nd"} 1)"));
}

TEST(MetricPage, BucketsAreCumulativeAndEndWithAll) {
    RequestTimes times;
    times.add(5ms);
    times.add(2ms);
    times.add(700ms);
    times.add(400s);
    MetricPage page;
    page.histogram("request_seconds", "Time").value(times, {{"model", "m"}});
    const std::string text = page.text();
    EXPECT_THAT(text, HasSubstr("request_seconds_count{model=\"m\"} 4\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_sum{model=\"m\"} 400.707\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_bucket{model=\"m\",le=\"0.005\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_bucket{model=\"m\",le=\"0.5\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_bucket{model=\"m\",le=\"1\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_bucket{model=\"m\",le=\"300\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("request_seconds_bucket{model=\"m\",le=\"+Inf\"} 4\n"));
}

}  // namespace
}  // namespace runnel::telemetry
