#include "config/units.hpp"

#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;

TEST(Units, ReadDurations) {
    EXPECT_EQ(read_duration("800ms"), 800ms);
    EXPECT_EQ(read_duration("15s"), 15s);
    EXPECT_EQ(read_duration("5m"), 5min);
    EXPECT_EQ(read_duration("1h"), 1h);
    EXPECT_EQ(read_duration("0s"), 0s);
}

TEST(Units, RefuseWhatIsNoDuration) {
    for (const char* text : {"", "s", "15", "15 s", "1.5s", "-1s", "+1s", "15sec", "1m30s", "0x10s",
                             "99999999999999999999s", "9223372036854775807h"})
        EXPECT_FALSE(read_duration(text)) << text;
}

TEST(Units, WriteDurationsInTheLargestUnitThatIsWhole) {
    EXPECT_EQ(write_duration(24h), "24h");
    EXPECT_EQ(write_duration(90s), "90s");
    EXPECT_EQ(write_duration(10min), "10m");
    EXPECT_EQ(write_duration(1500ms), "1500ms");
    EXPECT_EQ(write_duration(0ms), "0ms");
}

TEST(Units, ReadSizes) {
    EXPECT_EQ(read_size("4096"), 4096u);
    EXPECT_EQ(read_size("10B"), 10u);
    EXPECT_EQ(read_size("256KiB"), 256u * 1024);
    EXPECT_EQ(read_size("32MiB"), 32u * 1024 * 1024);
    EXPECT_EQ(read_size("1GiB"), 1024u * 1024 * 1024);
    EXPECT_EQ(read_size("500kB"), 500'000u);
    EXPECT_EQ(read_size("10MB"), 10'000'000u);
    EXPECT_EQ(read_size("2GB"), 2'000'000'000u);
}

TEST(Units, RefuseWhatIsNoSize) {
    for (const char* text : {"", "MiB", "32M", "32 MiB", "-1", "1.5MiB", "32mib",
                             "9223372036854775807KiB", "99999999999999999999"})
        EXPECT_FALSE(read_size(text)) << text;
}

}  // namespace
}  // namespace runnel::config
