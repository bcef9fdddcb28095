#include "policy/guardrail_reading.hpp"

#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

TEST(GuardrailReading, FindsTheFirstCharacterThatReadsAsAnother) {
    EXPECT_EQ(GuardrailReading::first_odd(""), 0U);
    EXPECT_EQ(GuardrailReading::first_odd("plain text of more than eight"), 29U);
    EXPECT_EQ(GuardrailReading::first_odd("größe \U0001f642 日本 —"), 23U);
    EXPECT_EQ(GuardrailReading::first_odd("12345678é\u00a0x"), 10U);
    EXPECT_EQ(GuardrailReading::first_odd("\u200bx"), 0U);
}

TEST(GuardrailReading, KnowsWhereThatIsWritten) {
    GuardrailReading reading;
    std::string seen = "ab";
    EXPECT_TRUE(reading.append("c\u200bd", 2, seen, 2));
    EXPECT_TRUE(reading.append("\u00a0\u00ad\u00ade", 7, seen, 4));
    EXPECT_EQ(seen, "abcd e");
    //                       a  b  c  d  ' '  e
    const int begins[] = {0, 1, 2, 6, 7, 13, 14};
    const int ends[] = {0, 1, 2, 3, 7, 9, 14};
    for (std::uint64_t at = 0; at <= seen.size(); ++at) {
        EXPECT_EQ(reading.written_begin(at), begins[at]) << at;
        EXPECT_EQ(reading.written_end(at), ends[at]) << at;
        EXPECT_EQ(reading.seen_at(reading.written_begin(at)), at);
        EXPECT_EQ(reading.seen_at(reading.written_end(at)), at);
    }
    reading.forget_before(5);
    EXPECT_EQ(reading.written_begin(5), 13U);
    EXPECT_EQ(reading.written_end(5), 9U);
    EXPECT_EQ(reading.written_end(6), 14U);
}

}  // namespace
}  // namespace runnel::policy
