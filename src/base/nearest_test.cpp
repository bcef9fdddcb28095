#include "base/nearest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view keys[] = {"kind", "base_url", "api_key", "keys", "headers"};

std::vector<std::string_view> near_keys(std::string_view written) {
    return nearest_names(written, keys, 3);
}

TEST(Nearest, FindsTheKeyBehindATypo) {
    EXPECT_THAT(near_keys("basurl"), ElementsAre("base_url"));
    EXPECT_THAT(near_keys("baseurl"), ElementsAre("base_url"));
    EXPECT_THAT(near_keys("apikey"), ElementsAre("api_key"));
    EXPECT_THAT(near_keys("knid"), ElementsAre("kind"));  // two letters swapped
    EXPECT_THAT(near_keys("API_KEY"), ElementsAre("api_key"));
}

TEST(Nearest, FindsTheNameThatWasBegun) {
    constexpr std::string_view models[] = {"claude-opus-4", "claude-sonnet-4-5", "gpt-5"};
    EXPECT_THAT(nearest_names("claude-sonnet", models, 3), ElementsAre("claude-sonnet-4-5"));
    EXPECT_THAT(nearest_names("c", models, 3), IsEmpty());
}

TEST(Nearest, PutsTheNearestFirstAndStopsAtTheCount) {
    constexpr std::string_view models[] = {"gpt-5-mini", "gpt-5-nano", "gpt-5", "gpt-4"};
    EXPECT_THAT(nearest_names("gpt-5-nini", models, 2), ElementsAre("gpt-5-mini", "gpt-5-nano"));
    EXPECT_THAT(nearest_names("gtp-5", models, 1), ElementsAre("gpt-5"));
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
    EXPECT_THAT(near_keys("temperature"), IsEmpty());
    EXPECT_THAT(near_keys(""), IsEmpty());
    EXPECT_THAT(nearest_names("kind", {}, 3), IsEmpty());
    EXPECT_THAT(near_keys(std::string(100'000, 'k')), IsEmpty());
}

TEST(Nearest, EndsAMessage) {
    EXPECT_EQ(did_you_mean("basurl", keys), "; did you mean 'base_url'?");
    EXPECT_EQ(did_you_mean("colour", keys), "");
}

}  // namespace
}  // namespace runnel
