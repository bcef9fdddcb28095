#include "provider/core/think_tags.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

struct Parts {
    std::string reasoning;
    std::string text;

    friend bool operator==(const Parts&, const Parts&) = default;
};

void PrintTo(const Parts& parts, std::ostream* out) {
    *out << "reasoning '" << parts.reasoning << "', text '" << parts.text << "'";
}

Parts split(std::initializer_list<std::string_view> fragments) {
    ThinkTags tags;
    tags.enable(TurnOptions::ThinkTags::reasoning);
    Parts parts;
    const auto reasoning = [&](std::string_view t) { parts.reasoning += t; };
    const auto text = [&](std::string_view t) { parts.text += t; };
    for (const std::string_view fragment : fragments) {
        if (tags.active()) {
            tags.split(fragment, reasoning, text);
        } else {
            parts.text += fragment;
        }
    }
    tags.flush(reasoning, text);
    return parts;
}

TEST(ThinkTags, TellsABlockAtTheHeadApart) {
    EXPECT_EQ(split({"<think>hm</think>4"}), (Parts{"hm", "4"}));
    EXPECT_EQ(split({"<th", "ought>h", "m</thou", "ght>4"}), (Parts{"hm", "4"}));
    EXPECT_EQ(split({"<thinking>hm"}), (Parts{"", "<thinking>hm"}));
    EXPECT_EQ(split({"<think>a</thought>b</think>4"}), (Parts{"a</thought>b", "4"}));
}

TEST(ThinkTags, TellsTheSameForEverySplit) {
    const std::string_view whole = R"(\n<think>a < b, </th and \"c\"</think>\n\nfour)";
    for (std::size_t at = 0; at <= whole.size(); ++at) {
        // Text is cut between characters, and an escape is one.
        if (at > 0 && whole[at - 1] == '\\') continue;
        EXPECT_EQ(split({whole.substr(0, at), whole.substr(at)}),
                  (Parts{R"(a < b, </th and \"c\")", "four"}))
            << "split at " << at;
    }
}

TEST(ThinkTags, LeavesATagAfterTextAlone) {
    EXPECT_EQ(split({"so <think>x</think>"}), (Parts{"", "so <think>x</think>"}));
    EXPECT_EQ(split({"<think>a</think>b<think>c</think>"}), (Parts{"a", "b<think>c</think>"}));
}

TEST(ThinkTags, ShowsWhatOnlyLookedLikeATag) {
    EXPECT_EQ(split({"<thin"}), (Parts{"", "<thin"}));
    EXPECT_EQ(split({"<", "b>"}), (Parts{"", "<b>"}));
}

TEST(ThinkTags, TakesABlockThatIsNeverClosedAsReasoning) {
    EXPECT_EQ(split({"<think>hm</thi"}), (Parts{"hm</thi", ""}));
}

TEST(ThinkTags, HoldsNothingBackOnceTextHasBegun) {
    ThinkTags tags;
    tags.enable(TurnOptions::ThinkTags::reasoning);
    tags.split("Hi", [](std::string_view) {}, [](std::string_view) {});
    EXPECT_FALSE(tags.active());
}

TEST(ThinkTags, DoesNothingUnlessEnabled) {
    ThinkTags tags;
    tags.enable(TurnOptions::ThinkTags::text);
    EXPECT_FALSE(tags.active());
}

}  // namespace
}  // namespace runnel::provider
