#include "json/quick_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace runnel::json {
namespace {

std::string decimal(std::int64_t value, int places) {
    std::string out;
    QuickWriter(out).decimal(value, places);
    return out;
}

TEST(QuickWriter, AppendsToWhatIsThere) {
    std::string out = "before ";
    QuickWriter(out)
        .literal(R"({"a":)")
        .string("x")
        .literal(R"(,"b":)")
        .number(-7)
        .literal(R"(,"c":)")
        .boolean(true)
        .literal(",\"d\":")
        .raw("[1]")
        .literal("}");
    EXPECT_EQ(out, R"(before {"a":"x","b":-7,"c":true,"d":[1]})");
}

TEST(QuickWriter, EscapesWhatMustBe) {
    std::string out;
    QuickWriter(out).string("a\"b\\c\nd\x01 é");
    EXPECT_EQ(out, R"("a\"b\\c\nd\u0001 é")");
}

TEST(QuickWriter, MakesRoomForAnything) {
    std::string out, expected;
    {
        QuickWriter writer(out);
        for (std::size_t size = 0; size < 3000; size += 37) {
            const std::string text(size, 'x');
            writer.string(text).literal(",").number(static_cast<std::int64_t>(size));
            expected += '"' + text + "\"," + std::to_string(size);
        }
    }
    EXPECT_EQ(out, expected);
}

TEST(QuickWriter, WritesDecimalsExactlyAndNoDigitTooMany) {
    EXPECT_EQ(decimal(0, 9), "0");
    EXPECT_EQ(decimal(1, 9), "0.000000001");
    EXPECT_EQ(decimal(1'000'000'000, 9), "1");
    EXPECT_EQ(decimal(1'500, 3), "1.5");
    EXPECT_EQ(decimal(12'000, 0), "12000");
    EXPECT_EQ(decimal(123'456'789'012'345'678, 9), "123456789.012345678");
    EXPECT_EQ(decimal(-250'000'000, 9), "-0.25");
    EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min(), 9), "-9223372036.854775808");
}

}  // namespace
}  // namespace runnel::json
