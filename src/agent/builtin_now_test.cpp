#include "agent/builtin_now.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::agent {
namespace {

using namespace std::chrono;
using ::testing::HasSubstr;

UtcTime utc(int y, unsigned m, unsigned d, int hour = 0, int minute = 0, int second = 0) {
    return sys_days(year(y) / month(m) / day(d)) + hours(hour) + minutes(minute) + seconds(second);
}

std::string by_rule(std::string_view rule, UtcTime time) {
    const auto offset = offset_by_rule(rule, time);
    return offset ? offset->abbreviation + std::to_string(offset->east_of_utc.count()) : "none";
}

ToolOutcome now_in(const char* arguments, UtcTime time) {
    return run_now(*Arguments::read(arguments), time);
}

TEST(TimeZoneRule, ChangesAtTheRightSecond) {
    const std::string_view berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
    EXPECT_EQ(by_rule(berlin, utc(2030, 1, 1)), "CET3600");
    EXPECT_EQ(by_rule(berlin, utc(2030, 3, 31, 0, 59, 59)), "CET3600");
    EXPECT_EQ(by_rule(berlin, utc(2030, 3, 31, 1)), "CEST7200");
    EXPECT_EQ(by_rule(berlin, utc(2030, 10, 27, 0, 59, 59)), "CEST7200");
    EXPECT_EQ(by_rule(berlin, utc(2030, 10, 27, 1)), "CET3600");
}

TEST(TimeZoneRule, KnowsTheSouthAndTheOddOnes) {
    const std::string_view sydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";
    EXPECT_EQ(by_rule(sydney, utc(2030, 1, 1)), "AEDT39600");
    EXPECT_EQ(by_rule(sydney, utc(2030, 7, 1)), "AEST36000");
    EXPECT_EQ(by_rule("<+0545>-5:45", utc(2030, 1, 1)), "+054520700");
    EXPECT_EQ(by_rule("EST5EDT,M3.2.0,M11.1.0", utc(2030, 7, 1)), "EDT-14400");
    EXPECT_EQ(by_rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", utc(2030, 7, 1)), "-01-3600");
    EXPECT_EQ(by_rule("A0B,J60,J61", utc(2028, 3, 1, 12)), "B3600");
    EXPECT_EQ(by_rule("A0B,59,60", utc(2028, 2, 29, 12)), "B3600");
}

TEST(TimeZoneRule, RefusesWhatIsNone) {
    for (const char* rule :
         {"", "CET", "CET-", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
          "CET-1CEST,M13.5.0,M1.1.0", "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1", "CET-999"})
        EXPECT_EQ(by_rule(rule, utc(2030, 1, 1)), "none") << rule;
}

TEST(TimeZone, IsSafeWithAnyFile) {
    const auto file = read_zone_file("Europe/Berlin");
    if (!file) GTEST_SKIP() << "no time zones are installed";
    for (std::size_t size = 0; size < file->size(); size += 7)
        (void)offset_at(std::string_view(*file).substr(0, size), utc(2030, 1, 1));
    EXPECT_FALSE(offset_at("", utc(2030, 1, 1)));
    EXPECT_FALSE(offset_at("TZif2", utc(2030, 1, 1)));
    EXPECT_FALSE(offset_at("TZif2" + std::string(39, '\xff'), utc(2030, 1, 1)));
}

TEST(BuiltInNow, TellsTheTimeInAZone) {
    const UtcTime time = utc(2026, 7, 3, 22, 30, 5);
    EXPECT_EQ(now_in("{}", time).text,
              R"({"time":"2026-07-03T22:30:05+00:00","weekday":"Friday","time_zone":"UTC",)"
              R"("abbreviation":"UTC","unix":1783117805})");
    if (!read_zone_file("Europe/Berlin")) GTEST_SKIP() << "no time zones are installed";
    EXPECT_EQ(now_in(R"({"time_zone":"Europe/Berlin"})", time).result_json,
              R"({"time":"2026-07-04T00:30:05+02:00","weekday":"Saturday",)"
              R"("time_zone":"Europe/Berlin","abbreviation":"CEST","unix":1783117805})");
    EXPECT_THAT(now_in(R"({"time_zone":"Asia/Kathmandu"})", time).text, HasSubstr("+05:45"));
    EXPECT_THAT(now_in(R"({"time_zone":"America/New_York"})", utc(1990, 1, 1)).text,
                HasSubstr("1989-12-31T19:00:00-05:00"));
    EXPECT_THAT(now_in(R"({"time_zone":"Europe/Berlin"})", utc(2090, 8, 1)).text,
                HasSubstr("+02:00"));
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
}  // namespace runnel::agent
