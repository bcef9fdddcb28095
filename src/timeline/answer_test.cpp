#include "timeline/answer.hpp"

#include <gtest/gtest.h>

namespace runnel::timeline {
namespace {

Answer folded(const std::vector<Event>& events) {
    Fold fold;
    for (const Event& event : events) fold.on(event);
    return fold.answer();
}

TEST(Fold, JoinsTextReasoningAndRefusal) {
    const Answer answer = folded({Started{}, Reasoning{0, "h"}, Reasoning{0, "m"}, Text{0, "a\\n"},
                                  Text{0, "b"}, Refusal{0, "No"}, Refusal{0, "."},
                                  Finished{0, Finish::length, "max_tokens"}, Ended{}});
    ASSERT_EQ(answer.choices.size(), 1U);
    EXPECT_EQ(answer.choices[0].text_escaped, "a\\nb");
    EXPECT_EQ(answer.choices[0].reasoning_escaped, "hm");
    EXPECT_EQ(answer.choices[0].refusal_escaped, "No.");
    EXPECT_EQ(answer.choices[0].finish, Finish::length);
    EXPECT_FALSE(answer.error);
}

TEST(Fold, JoinsTheArgumentsOfEachCall) {
    const Answer answer = folded({ToolStarted{0, 0, "c0", "f"}, ToolArguments{0, 0, "{"},
                                  ToolStarted{0, 1, "c1", "g"}, ToolArguments{0, 1, "[]"},
                                  ToolArguments{0, 0, "}"}, ToolEnded{0, 0}, ToolEnded{0, 1}});
    const auto& calls = answer.choices.at(0).tool_calls;
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].id, "c0");
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[0].arguments_escaped, "{}");
    EXPECT_EQ(calls[1].arguments_escaped, "[]");
    EXPECT_TRUE(answer.choices[0].text_escaped.empty());
}

TEST(Fold, RemembersWhatWasSaidBeforeTheLastServersTool) {
    const ServerTool tool{ServerTool::State::running, "srv_1", "gas", "{}"};
    EXPECT_EQ(folded({Text{0, "a"}, Ended{}}).choices[0].interim_bytes, 0U);
    const Answer answer = folded({Text{0, "a"}, tool, Text{0, "b"}, tool, Text{0, "c"}, Ended{}});
    EXPECT_EQ(answer.choices[0].text_escaped, "abc");
    EXPECT_EQ(answer.choices[0].interim_bytes, 2U);
}

TEST(Fold, KeepsChoicesApart) {
    const Answer answer = folded({Text{1, "b"}, Text{0, "a"}, Finished{1, Finish::stop, ""}});
    ASSERT_EQ(answer.choices.size(), 2U);
    EXPECT_EQ(answer.choices[0].text_escaped, "a");
    EXPECT_EQ(answer.choices[1].text_escaped, "b");
    EXPECT_FALSE(answer.choices[0].finish);
    EXPECT_EQ(answer.choices[1].finish, Finish::stop);
}

TEST(Fold, TakesTheLatestUsage) {
    const Answer answer = folded({UsageReported{{.fresh_input = 1, .output = 1}},
                                  UsageReported{{.fresh_input = 5, .cache_read = 2, .output = 3}}});
    ASSERT_TRUE(answer.usage);
    EXPECT_EQ(answer.usage->input(), 7);
    EXPECT_EQ(answer.usage->total(), 10);
}

TEST(Fold, KeepsEveryAnnotationAndLogprobs) {
    const Answer answer =
        folded({Annotation{0, "1"}, Annotation{0, "2"}, Logprobs{0, "3"}, Logprobs{0, "4"}});
    EXPECT_EQ(answer.choices.at(0).annotations_raw, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(answer.choices.at(0).logprobs_raw, (std::vector<std::string>{"3", "4"}));
}

TEST(Fold, KeepsTheErrorBesideWhatCameBeforeIt) {
    const Answer answer =
        folded({Text{0, "Hel"}, Failed{{ErrorKind::upstream_failed, "gone"}}, Ended{}});
    ASSERT_TRUE(answer.error);
    EXPECT_EQ(answer.error->message, "gone");
    EXPECT_EQ(answer.choices.at(0).text_escaped, "Hel");
}

TEST(Fold, HasOneChoiceEvenWhenNothingWasSaid) {
    EXPECT_EQ(folded({Started{}, Ended{}}).choices.size(), 1U);
}

}  // namespace
}  // namespace runnel::timeline
