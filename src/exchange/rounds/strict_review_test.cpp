#include "exchange/rounds/strict_review.hpp"

#include "support/openai_requests.hpp"
#include "support/timeline_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace timeline;
using ::testing::HasSubstr;
using Result = AnswerReview::Result;

class AStrictReview : public ::testing::Test {
protected:
    void call(int index, std::string_view arguments, std::string_view name = "strict") {
        filter_.on(ToolStarted{0, index, index == 0 ? "call_1" : "call_2", name});
        filter_.on(ToolArguments{0, index, arguments});
        filter_.on(ToolEnded{0, index});
    }

    Result end() {
        filter_.on(Finished{0, Finish::tool_calls, ""});
        filter_.on(Ended{});
        filter_.close_round();
        return review_.review(filter_);
    }

    Result round(std::string_view arguments) {
        filter_.on(Started{});
        call(0, arguments);
        return end();
    }

    std::string message(std::size_t at) const {
        return std::string(request_.messages.at(at).parts.at(0).as<chat::Text>()->text_escaped);
    }

    chat::Request request_ = testing::openai_request(
        R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[
            {"type":"function","function":{"name":"strict","strict":true,"parameters":
              {"type":"object","properties":{"n":{"type":"integer"}}}}},
            {"type":"function","function":{"name":"loose"}}]})");
    testing::TimelineRecorder client_;
    StrictReview review_{&request_, &client_};
    tools::RoundFilter filter_{[](std::string_view) { return false; }, review_.sink()};
};

constexpr std::string_view good = R"({\"n\":1})";
constexpr std::string_view bad = R"({\"n\":\"1\"})";

TEST_F(AStrictReview, KeepsCallsBackUntilTheyFit) {
    filter_.on(Started{});
    filter_.on(Text{0, "Let me see."});
    call(0, bad);
    EXPECT_EQ(client_.text(), "started\ntext 0 \"Let me see.\"\n");
    EXPECT_EQ(end(), Result::ask_again);
    EXPECT_EQ(round(bad), Result::ask_again);
    EXPECT_EQ(round(good), Result::told);
    EXPECT_EQ(client_.text(),
              "started\ntext 0 \"Let me see.\"\nstarted\nstarted\ntool 0 #0 id=call_1 name=strict\n"
              "args 0 #0 \"{\\\"n\\\":1}\"\ntool_end 0 #0\n");
}

TEST_F(AStrictReview, TellsTheModelWhatWasWrongWithEachCall) {
    filter_.on(Started{});
    call(0, bad);
    call(1, "{}", "loose");
    EXPECT_EQ(end(), Result::ask_again);
    ASSERT_EQ(request_.messages.size(), 4u);
    EXPECT_EQ(request_.messages[1].parts.size(), 2u);
    EXPECT_EQ(request_.messages[2].tool_call_id, "call_1");
    EXPECT_THAT(message(2), HasSubstr("$.n must be an integer"));
    EXPECT_THAT(message(3), HasSubstr("another call beside it"));
}

TEST_F(AStrictReview, GivesUpAfterThreeAttempts) {
    EXPECT_EQ(round(bad), Result::ask_again);
    EXPECT_EQ(round("["), Result::ask_again);
    EXPECT_EQ(round(bad), Result::given_up);
    EXPECT_EQ(review_.failure().kind, ErrorKind::tool_call_invalid_arguments);
    EXPECT_THAT(review_.failure().message, HasSubstr("'strict'"));
    EXPECT_THAT(review_.failure().message, HasSubstr("$.n must be an integer"));
}

TEST_F(AStrictReview, ForgetsTheCallsOfARoundThatSomebodyElseAnswers) {
    filter_.on(Started{});
    call(0, bad);
    filter_.on(Started{});
    filter_.on(Text{0, "Hi"});
    EXPECT_EQ(end(), Result::told);
    EXPECT_EQ(client_.text(), "started\nstarted\ntext 0 \"Hi\"\n");
}

}  // namespace
}  // namespace runnel::exchange
