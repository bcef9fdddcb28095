#include "provider/core/retry_delay.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;

constexpr auto nothing = std::nullopt;

TEST(RetryDelay, TakesMillisecondsBeforeSeconds) {
    EXPECT_EQ(retry_delay({{"retry-after", "3"}, {"retry-after-ms", "1500"}}, nothing), 1500ms);
}

TEST(RetryDelay, AZeroIsNoAnswer) {
    EXPECT_EQ(retry_delay({{"retry-after", "1"}, {"retry-after-ms", "0"}}, nothing), 1000ms);
    EXPECT_EQ(retry_delay({{"retry-after", "0"}}, nothing), nothing);
}

TEST(RetryDelay, ReadsFractionsOfSeconds) {
    EXPECT_EQ(retry_delay({{"retry-after", "0.25"}}, nothing), 250ms);
}

TEST(RetryDelay, MeasuresADateAgainstTheReplysOwn) {
    const std::vector<Header> headers{{"date", "Wed, 21 Oct 2026 07:28:00 GMT"},
                                      {"retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"}};
    EXPECT_EQ(retry_delay(headers, nothing), 30s);
    EXPECT_EQ(retry_delay({headers[1]}, nothing), nothing);
}

TEST(RetryDelay, TakesTheBodysWordBeforeTheBuckets) {
    const std::vector<Header> headers{{"x-ratelimit-remaining-requests", "0"},
                                      {"x-ratelimit-reset-requests", "9s"}};
    EXPECT_EQ(retry_delay(headers, 500ms), 500ms);
    EXPECT_EQ(retry_delay(headers, nothing), 9s);
}

TEST(RetryDelay, WaitsForTheSlowestEmptyBucketAndNoOther) {
    const std::vector<Header> headers{
        {"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "12ms"},
        {"x-ratelimit-remaining-tokens", "0"},   {"x-ratelimit-reset-tokens", "6m0s"},
        {"x-ratelimit-remaining-images", "5"},   {"x-ratelimit-reset-images", "9h"}};
    EXPECT_EQ(retry_delay(headers, nothing), 6min);
}

TEST(RetryDelay, ReadsAnthropicsTimesOfDay) {
    const std::vector<Header> headers{
        {"date", "Wed, 21 Oct 2026 07:28:00 GMT"},
        {"anthropic-ratelimit-input-tokens-remaining", "0"},
        {"anthropic-ratelimit-input-tokens-reset", "2026-10-21T07:28:07Z"}};
    EXPECT_EQ(retry_delay(headers, nothing), 7s);
}

TEST(RetryDelay, ReadsAzuresSecondsAndOpenRoutersMillisecondsSince1970) {
    EXPECT_EQ(
        retry_delay({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "42"}},
                    nothing),
        42s);
    const std::vector<Header> headers{{"date", "Fri, 08 Aug 2025 15:40:00 GMT"},
                                      {"x-ratelimit-remaining", "0"},
                                      {"x-ratelimit-reset", "1754667660000"}};
    EXPECT_EQ(retry_delay(headers, nothing), 60s);
}

TEST(RetryDelay, KnowsNothingWhereNothingIsSaid) {
    EXPECT_EQ(retry_delay({}, nothing), nothing);
    EXPECT_EQ(retry_delay({{"retry-after", "soon"}}, nothing), nothing);
}

TEST(ReadDuration, ReadsWhatGoAndGoogleWrite) {
    EXPECT_EQ(read_duration("1h2m3.5s"), 1h + 2min + 3500ms);
    EXPECT_EQ(read_duration("2m59.56s"), 2min + 59560ms);
    EXPECT_EQ(read_duration("12ms"), 12ms);
    EXPECT_EQ(read_duration("48s"), 48s);
    EXPECT_EQ(read_duration("0.5s"), 500ms);
}

TEST(ReadDuration, RefusesAnythingElse) {
    for (const std::string_view text : {"", "s", "5", "5 s", "-5s", "5s!", "0s", "five"})
        EXPECT_EQ(read_duration(text), nothing) << text;
}

}  // namespace
}  // namespace runnel::provider
