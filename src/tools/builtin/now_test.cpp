#include "tools/builtin/now.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using namespace std::chrono;
using ::testing::HasSubstr;

UtcTime utc(int y, unsigned m, unsigned d, int hour = 0, int minute = 0, int second = 0) {
    return sys_days(year(y) / month(m) / day(d)) + hours(hour) + minutes(minute) + seconds(second);
}

ToolOutcome now_in(const char* arguments, UtcTime time) {
    return run_now(*Arguments::read(arguments), time);
}

bool knows_zones() {
    return now_in(R"({"time_zone":"Europe/Berlin"})", utc(2030, 1, 1)).kind ==
           ToolOutcome::Kind::completed;
}

TEST(BuiltInNow, TellsTheTimeInAZone) {
    const UtcTime time = utc(2026, 7, 3, 22, 30, 5);
    EXPECT_EQ(now_in("{}", time).text,
              R"({"time":"2026-07-03T22:30:05+00:00","weekday":"Friday","time_zone":"UTC",)"
              R"("abbreviation":"UTC","unix":1783117805})");
    if (!knows_zones()) GTEST_SKIP() << "no time zones are installed";
    EXPECT_EQ(now_in(R"({"time_zone":"Europe/Berlin"})", time).result_json,
              R"({"time":"2026-07-04T00:30:05+02:00","weekday":"Saturday",)"
              R"("time_zone":"Europe/Berlin","abbreviation":"CEST","unix":1783117805})");
    EXPECT_THAT(now_in(R"({"time_zone":"Asia/Kathmandu"})", time).text, HasSubstr("+05:45"));
    EXPECT_THAT(now_in(R"({"time_zone":"America/New_York"})", utc(1990, 1, 1)).text,
                HasSubstr("1989-12-31T19:00:00-05:00"));
}

TEST(BuiltInNow, ChangesTheClocksAtTheRightSecondAlsoInYearsThatNoFileLists) {
    if (!knows_zones()) GTEST_SKIP() << "no time zones are installed";
    const auto berlin = [](UtcTime time) {
        return now_in(R"({"time_zone":"Europe/Berlin"})", time).text;
    };
    EXPECT_THAT(berlin(utc(2030, 3, 31, 0, 59, 59)), HasSubstr("T01:59:59+01:00"));
    EXPECT_THAT(berlin(utc(2030, 3, 31, 1)), HasSubstr("T03:00:00+02:00"));
    EXPECT_THAT(berlin(utc(2030, 10, 27, 1)), HasSubstr("T02:00:00+01:00"));
    EXPECT_THAT(berlin(utc(2090, 8, 1)), HasSubstr("+02:00"));
    EXPECT_THAT(now_in(R"({"time_zone":"Australia/Sydney"})", utc(2090, 1, 1)).text,
                HasSubstr(R"(+11:00)"));
}

TEST(BuiltInNow, RefusesNamesThatAreNoZone) {
    for (const char* name : {"Europe/Atlantis", "../../../etc/passwd", "/etc/passwd", "Europe",
                             "posixrules/../UTC", "", "zone.tab"}) {
        const auto arguments = Arguments::read(std::string(R"({"time_zone":")") + name + "\"}");
        const ToolOutcome outcome = run_now(*arguments, utc(2026, 1, 1));
        EXPECT_EQ(outcome.kind, ToolOutcome::Kind::failed) << name;
        EXPECT_THAT(outcome.text, HasSubstr("there is no time zone")) << name;
    }
}

}  // namespace
}  // namespace runnel::tools
