#include "provider/core/reasoning_keeper.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(MergedReasoningDetails, JoinsThePiecesOfOneDetail) {
    EXPECT_EQ(
        merged_reasoning_details(
            R"([{"type":"reasoning.text","text":"a \"q\"","index":0,"format":null}])"
            R"([{"type":"reasoning.text","text":"b","index":0}])"
            R"([{"type":"reasoning.text","signature":"s","index":0,"format":"x"}])"),
        R"([{"type":"reasoning.text","index":0,"format":"x","signature":"s","text":"a \"q\"b"}])");
}

TEST(MergedReasoningDetails, KeepsDetailsOfOtherIndexesAndTypesApart) {
    EXPECT_EQ(
        merged_reasoning_details(
            R"([{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.encrypted","data":"z","index":0}])"
            R"([{"type":"reasoning.text","text":"b","index":1}])"),
        R"([{"type":"reasoning.text","index":0,"text":"a"},{"type":"reasoning.encrypted","index":0,"data":"z"},)"
        R"({"type":"reasoning.text","index":1,"text":"b"}])");
}

TEST(MergedReasoningDetails, LeavesWhatHasNoIndexAsItIs) {
    EXPECT_EQ(
        merged_reasoning_details(
            R"([{"type":"reasoning.text","text":"a"}][{"type":"reasoning.text","text":"b"}])"),
        R"([{"type":"reasoning.text","text":"a"},{"type":"reasoning.text","text":"b"}])");
}

TEST(MergedReasoningDetails, HasRoomForManyDetailsOfFewFields) {
    std::string details = "[";
    for (int i = 0; i < 10'000; ++i) details += fmt::format(R"({{"index":{}}},)", i);
    details.back() = ']';
    EXPECT_EQ(merged_reasoning_details(details), details);

    std::string fields = R"([{"index":0)";
    for (int i = 0; i < 1000; ++i) fields += fmt::format(R"(,"f{}":0)", i);
    const std::string kept = merged_reasoning_details(fields + "}]");
    EXPECT_TRUE(fields.starts_with(kept.substr(0, kept.size() - 2)));
    EXPECT_LT(kept.size(), 1000U);
}

TEST(MergedReasoningDetails, SurvivesNonsense) {
    EXPECT_EQ(merged_reasoning_details(""), "[]");
    EXPECT_EQ(merged_reasoning_details("[1,null][]"), "[]");
}

}  // namespace
}  // namespace runnel::provider
