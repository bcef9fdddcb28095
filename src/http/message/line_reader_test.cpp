#include "http/message/line_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::http {
namespace {

using Outcome = LineReader::Outcome;

TEST(LineReader, CutsTheSameLinesForEveryStep) {
    constexpr std::string_view wire = "one\r\n\r\nthree and more\r\nrest";
    for (std::size_t step = 1; step <= wire.size(); ++step) {
        LineReader reader(100);
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < wire.size(); at += step) {
            std::string_view bytes = wire.substr(at, step);
            while (!bytes.empty())
                if (reader.take(bytes) == Outcome::line) lines.emplace_back(reader.line());
        }
        EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "three and more"})) << step;
    }
}

TEST(LineReader, RefusesWhatIsPastItsLimitHoweverItIsCut) {
    for (const std::size_t step : {1, 3, 64}) {
        LineReader reader(16);
        Outcome outcome = Outcome::more;
        for (std::size_t at = 0; at < 64 && outcome == Outcome::more; at += step) {
            const std::string piece(step, 'x');
            std::string_view bytes = piece;
            outcome = reader.take(bytes);
        }
        EXPECT_EQ(outcome, Outcome::too_long) << step;
    }
    LineReader lines(16);
    std::string_view bytes = "a\r\na\r\na\r\na\r\na\r\na\r\n";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(lines.take(bytes), Outcome::line);
    EXPECT_EQ(lines.take(bytes), Outcome::too_long);
}

TEST(LineReader, HandsOutLinesOfOneReadWithoutCopyingThem) {
    const std::string wire = "first\r\nsecond\r\n";
    LineReader reader(100);
    std::string_view bytes = wire;
    ASSERT_EQ(reader.take(bytes), Outcome::line);
    EXPECT_EQ(reader.line().data(), wire.data());
    ASSERT_EQ(reader.take(bytes), Outcome::line);
    EXPECT_EQ(reader.line().data(), wire.data() + 7);
}

// A line of n bytes that come one by one is looked at n times, not n times n / 2: whatever was
// taken is never shown again.
TEST(LineReader, TakesEveryByteOnce) {
    LineReader reader(100'000);
    std::size_t taken = 0;
    for (int i = 0; i < 90'000; ++i) {
        std::string_view bytes = "x";
        ASSERT_EQ(reader.take(bytes), Outcome::more);
        taken += 1 - bytes.size();
    }
    EXPECT_EQ(taken, 90'000U);
    std::string_view bytes = "\r\n";
    ASSERT_EQ(reader.take(bytes), Outcome::line);
    EXPECT_EQ(reader.line().size(), 90'000U);
}

TEST(LineReader, WantsBothCharactersOfALineEnd) {
    LineReader reader(100);
    std::string_view bytes = "one\n";
    EXPECT_EQ(reader.take(bytes), Outcome::bare_line_feed);
}

}  // namespace
}  // namespace runnel::http
