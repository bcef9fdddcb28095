#include "json/writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace runnel::json {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
    std::string out;
    Writer writer(out);
    writer.begin_object();
    writer.key("a").number(1).key("b").begin_array().number(1).string("x").null().end_array();
    writer.key("c").begin_object().end_object().key("d").boolean(true).key("e").begin_array();
    writer.begin_object().end_object().begin_object().end_object().end_array();
    writer.end_object();
    EXPECT_EQ(out, R"({"a":1,"b":[1,"x",null],"c":{},"d":true,"e":[{},{}]})");
}

TEST(JsonWriter, EscapesKeysAndStringsButNotEscapedText) {
    std::string out;
    const std::string_view key = "a\"";
    const std::string_view text = "b\n";
    Writer(out).begin_object().key(key).string(text).key("c").escaped(R"(d\n)").end_object();
    EXPECT_EQ(out, R"({"a\"":"b\n","c":"d\n"})");
}

TEST(JsonWriter, TakesRawValuesAsTheyAre) {
    std::string out;
    Writer(out).begin_array().raw(R"({"x": 1})").raw("[]").raw("2").end_array();
    EXPECT_EQ(out, R"([{"x": 1},[],2])");
}

TEST(JsonWriter, GoesOnWhereTheStringEnds) {
    std::string out = "data: ";
    Writer(out).begin_object().key("a").number(1).end_object();
    out += "\n\n";
    Writer(out).begin_object().end_object();
    EXPECT_EQ(out, "data: {\"a\":1}\n\n{}");
}

TEST(JsonWriter, SeparatesAfterStringsThatEndLikeContainers) {
    std::string out;
    Writer(out).begin_array().string("{").string("[").string(":").string(" ").end_array();
    EXPECT_EQ(out, R"(["{","[",":"," "])");
}

TEST(JsonWriter, WritesNumbersShortAndExact) {
    std::string out;
    Writer writer(out);
    writer.begin_array();
    writer.number(std::numeric_limits<std::int64_t>::min());
    writer.number(std::numeric_limits<std::int64_t>::max());
    writer.real(0.1).real(1e300).real(2).end_array();
    EXPECT_EQ(out, "[-9223372036854775808,9223372036854775807,0.1,1e+300,2]");
}

TEST(JsonWriter, WritesDecimalsExactlyAndNoDigitTooMany) {
    const auto decimal = [](std::int64_t value, int places) {
        std::string out;
        Writer(out).decimal(value, places);
        return out;
    };
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
