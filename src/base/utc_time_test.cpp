#include "base/utc_time.hpp"

#include <gtest/gtest.h>

#include <random>

namespace runnel {
namespace {

using namespace std::chrono_literals;
using UtcTime = std::chrono::sys_time<std::chrono::milliseconds>;

TEST(UtcTime, IsReadInEveryFormOfTheStandard) {
    const UtcTime noon(1'763'208'000s);  // 2025-11-15T12:00:00Z
    for (const char* text : {"2025-11-15T12:00:00Z", "2025-11-15t12:00:00z", "2025-11-15 12:00:00Z",
                             "2025-11-15T12:00:00.000Z", "2025-11-15T12:00:00.000999999Z",
                             "2025-11-15T13:30:00+01:30", "2025-11-15T07:00:00-05:00"})
        EXPECT_EQ(read_utc_time(text), noon) << text;
    EXPECT_EQ(read_utc_time("2025-11-15T12:00:00.5Z"), noon + 500ms);
    EXPECT_EQ(read_utc_time("2024-02-29T00:00:00Z"), UtcTime(1'709'164'800s));
}

TEST(UtcTime, IsNotGuessed) {
    for (const char* text :
         {"", "2025-11-15", "2025-11-15T12:00:00", "2025-11-15T12:00Z", "2025-02-29T00:00:00Z",
          "2025-13-01T00:00:00Z", "2025-11-15T24:00:00Z", "2025-11-15T12:60:00Z",
          "2025-11-15T12:00:00.Z", "2025-11-15T12:00:00ZZ", "2025-11-15T12:00:00+1:00",
          "2025-11-15T12:00:00 Z", "+025-11-15T12:00:00Z", "-025-11-15T12:00:00Z",
          "2025/11/15T12:00:00Z", "1969-12-31T23:59:59Z", "tomorrow", "1763208000"})
        EXPECT_FALSE(read_utc_time(text)) << text;
}

TEST(UtcTime, WrittenIsReadBack) {
    EXPECT_EQ(write_utc_time(UtcTime(1'763'208'000s)), "2025-11-15T12:00:00Z");
    EXPECT_EQ(write_utc_time(UtcTime(1'763'208'000s + 7ms)), "2025-11-15T12:00:00.007Z");
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i) {
        const UtcTime time(std::chrono::milliseconds(random() % 253'402'300'800'000));  // to 9999
        EXPECT_EQ(read_utc_time(write_utc_time(time)), time) << write_utc_time(time);
    }
}

}  // namespace
}  // namespace runnel
