#include "guardrail/transcript.hpp"

#include "support/guardrail_rules.hpp"

#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using namespace timeline;

GuardrailRule looking_at(std::vector<bool GuardrailRule::*> places) {
    GuardrailRule rule{.name = "read"};
    rule.on_output = rule.on_reasoning = rule.on_tool_arguments = false;
    for (const auto place : places) rule.*place = true;
    return rule;
}

const std::vector<Event> answer{
    Started{},
    Reasoning{0, "hmm"},
    Text{0, "fal"},
    Text{1, "con\\n"},
    Text{0, "con"},
    Text{1, "fal"},
    Refusal{0, "no"},
    ServerTool{
        ServerTool::State::created, "srv_1", "f", R"({"a":"\u0041"})", {}, R"({"goal":"g"})"},
    ServerTool{
        ServerTool::State::running, "srv_1", "f", R"({"a":"\u0041"})", {}, R"({"goal":"g"})"},
    ServerTool{ServerTool::State::completed, "srv_1", "f", R"({"a":"\u0041"})", R"("r")"},
    Citation{.choice = 0, .title = "t"},
    ToolStarted{0, 0, "call_1", "theirs"},
    ToolArguments{0, 0, "{\\\"x"},
    ToolStarted{1, 0, "call_2", "theirs"},
    ToolArguments{1, 0, "{}"},
    ToolArguments{0, 0, "\\\":\\\"\\\\u0042\\\"}"},
    Finished{0, Finish::stop, "stop"},
    Ended{}};

TEST(GuardrailTranscript, TellsTheTextsOfEachChoiceApart) {
    EXPECT_EQ(transcript_for(looking_at({&GuardrailRule::on_output}), answer),
              "falcon\ncon\nfal\nno\n{\"title\":\"t\"}");
}

TEST(GuardrailTranscript, HasWhatToolsAreAskedAndAnswer) {
    EXPECT_EQ(transcript_for(looking_at({&GuardrailRule::on_tool_arguments}), answer),
              "{\"a\":\"A\"}\n{\"goal\":\"g\"}\n\"r\"\n{\"x\":\"B\"}\n{}");
}

TEST(GuardrailTranscript, HasThoughtsWhereTheyAreLookedAt) {
    EXPECT_EQ(transcript_for(looking_at({&GuardrailRule::on_reasoning}), answer), "hmm");
}

}  // namespace
}  // namespace runnel::guardrail
