#include "exchange/rounds/json_review.hpp"

#include "support/openai_requests.hpp"
#include "support/timeline_recorder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::exchange {
namespace {

using namespace timeline;
using ::testing::HasSubstr;
using Result = JsonReview::Result;
using Form = Started::Form;

// One answer of a model after the other, reviewed.
class AJsonReview : public ::testing::Test {
protected:
    void ask_for(std::string_view fields) {
        request_ = testing::openai_request(fmt::format(
            R"({{"model":"m","messages":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Hi"}}]{}}})",
            fields));
        review_.emplace(*tools::JsonContract::of(request_), &request_, &client_);
        filter_.emplace([](std::string_view) { return false; }, review_->sink());
    }

    void say(std::string_view escaped) { filter_->on(Text{0, escaped}); }

    Result end(Finish finish = Finish::stop) {
        filter_->on(UsageReported{{.fresh_input = 10, .output = 1}});
        filter_->on(Finished{0, finish, ""});
        filter_->on(Ended{});
        filter_->close_round();
        const Result result = review_->review(*filter_);
        if (result == Result::told) filter_->end();
        return result;
    }

    Result answer(std::string_view escaped, Finish finish = Finish::stop, Form form = Form::free) {
        filter_->on(Started{form});
        if (!escaped.empty()) say(escaped);
        return end(finish);
    }

    std::string message(std::size_t at) const {
        return std::string(request_.messages.at(at).parts.at(0).as<chat::Text>()->text_escaped);
    }

    std::string told() const { return client_.text(); }

    static constexpr std::string_view schema =
        R"(,"response_schema":{"type":"object","required":["a"]})";
    static constexpr std::string_view format = R"(,"response_format":{"type":"json_object"})";

    chat::Request request_;
    testing::TimelineRecorder client_;
    std::optional<JsonReview> review_;
    std::optional<tools::RoundFilter> filter_;
};

TEST_F(AJsonReview, TellsTheModelOnceAndBehindTheSystemTexts) {
    ask_for(schema);
    ASSERT_EQ(request_.messages.size(), 3u);
    EXPECT_EQ(request_.messages[1].role, chat::Role::system);
    EXPECT_THAT(message(1), HasSubstr(R"(\"required\":[\"a\"])"));
    answer("no");
    answer("no");
    EXPECT_EQ(std::ranges::count(request_.messages, chat::Role::system, &chat::Message::role), 2);
}

TEST_F(AJsonReview, ShowsNothingUntilTheAnswerFits) {
    ask_for(schema);
    EXPECT_EQ(answer("Sure!"), Result::ask_again);
    EXPECT_EQ(answer(R"({\"b\":1})"), Result::ask_again);
    EXPECT_EQ(told(), "started\nstarted\n");
    filter_->on(Started{});
    filter_->on(Reasoning{0, "hm"});
    say("```json");
    say(R"(\n{ \"a\" : 1 }\n```)");
    EXPECT_EQ(end(), Result::told);
    EXPECT_EQ(told(), "started\nstarted\nstarted\nreasoning 0 \"hm\"\ntext 0 \"{\\\"a\\\":1}\"\n"
                      "finish 0 stop\nusage fresh=30 out=3\nended\n");
}

TEST_F(AJsonReview, TellsTheModelWhatWasWrongWithItsAnswer) {
    ask_for(schema);
    answer(R"({\"b\":1})");
    ASSERT_EQ(request_.messages.size(), 5u);
    EXPECT_EQ(request_.messages[3].role, chat::Role::assistant);
    EXPECT_EQ(message(3), R"({\"b\":1})");
    EXPECT_EQ(request_.messages[4].role, chat::Role::user);
    EXPECT_THAT(message(4), HasSubstr(R"($ lacks \"a\")"));
}

TEST_F(AJsonReview, GivesUpWhenTheAttemptsAreUsedUp) {
    ask_for(schema);
    EXPECT_EQ(answer("no"), Result::ask_again);
    EXPECT_EQ(answer(""), Result::ask_again);
    EXPECT_EQ(answer(R"({\"b\":1})"), Result::given_up);
    EXPECT_EQ(review_->failure().kind, ErrorKind::response_schema_unsatisfied);
    EXPECT_THAT(review_->failure().message, HasSubstr("3 attempts"));
    EXPECT_THAT(review_->failure().message, HasSubstr("$ lacks \"a\""));
}

TEST_F(AJsonReview, AsksOnceWhereAnyJsonWouldHaveDone) {
    ask_for(R"(,"json_only":true)");
    EXPECT_EQ(answer("Paris"), Result::given_up);
    EXPECT_THAT(review_->failure().message, HasSubstr("1 attempt; the last: it is not JSON"));
}

TEST_F(AJsonReview, DoesNotAskAgainWhatWouldBeStoppedAgain) {
    for (const Finish finish : {Finish::length, Finish::content_filter}) {
        ask_for(schema);
        EXPECT_EQ(answer(R"({\"a\":[1,2)", finish), Result::given_up);
        EXPECT_EQ(review_->failure().kind, ErrorKind::response_schema_unsatisfied);
    }
    EXPECT_EQ(answer(R"({\"a\":[1,2]})", Finish::length), Result::told);
}

TEST_F(AJsonReview, PassesACutAnswerOnWhereOnlyTheFormatWasAskedFor) {
    ask_for(format);
    EXPECT_EQ(answer(R"({\"a\":[1,2)", Finish::length), Result::told);
    EXPECT_THAT(told(), HasSubstr("text 0 \"{\\\"a\\\":[1,2\"\nfinish 0 length\n"));
}

TEST_F(AJsonReview, PassesCallsOfTheClientsToolsOnAsTheyAre) {
    ask_for(schema);
    filter_->on(Started{});
    say("Let me look.");
    filter_->on(ToolStarted{0, 0, "call_1", "theirs"});
    filter_->on(ToolArguments{0, 0, "{}"});
    filter_->on(ToolEnded{0, 0});
    EXPECT_EQ(end(Finish::tool_calls), Result::told);
    EXPECT_THAT(told(), HasSubstr("text 0 \"Let me look.\"\ntool 0 #0 id=call_1 name=theirs\n"
                                  "args 0 #0 \"{}\"\ntool_end 0 #0\nfinish 0 tool_calls\n"));
}

TEST_F(AJsonReview, PassesARefusalOnWhereThereIsRoomForIt) {
    const auto refuse = [&] {
        filter_->on(Started{});
        filter_->on(Refusal{0, "I can't."});
        return end();
    };
    ask_for(schema);
    EXPECT_EQ(refuse(), Result::told);
    EXPECT_THAT(told(), HasSubstr("refusal 0 \"I can't.\"\n"));
    ask_for(R"(,"json_only":true,"response_schema":{})");
    EXPECT_EQ(refuse(), Result::given_up);
    EXPECT_THAT(review_->failure().message, HasSubstr("refused"));
}

TEST_F(AJsonReview, LetsTheAnswerOfAProviderThatKeepsTheFormPassAsItComes) {
    ask_for(format);
    filter_->on(Started{Form::kept});
    filter_->on(Reasoning{0, "hm"});
    say(R"( \n)");
    say(R"({\"a\":)");
    EXPECT_EQ(told(), "started\nreasoning 0 \"hm\"\ntext 0 \"{\\\"a\\\":\"\n");
    say("oops");
    EXPECT_EQ(end(), Result::told);
    EXPECT_THAT(told(), HasSubstr("text 0 \"oops\"\nfinish 0 stop\n"));
}

TEST_F(AJsonReview, LooksAtItAllTheSameWhenItDoesNotBeginLikeJson) {
    ask_for(format);
    filter_->on(Started{Form::kept});
    say("Here it is: ");
    say(R"({\"a\":1})");
    EXPECT_EQ(told(), "started\n");
    EXPECT_EQ(end(), Result::told);
    EXPECT_THAT(told(), HasSubstr("text 0 \"{\\\"a\\\":1}\"\nfinish 0 stop\n"));
}

TEST_F(AJsonReview, BelievesNobodyWhereTheClientReliesOnTheGateway) {
    ask_for(schema);
    EXPECT_EQ(answer(R"({\"b\":1})", Finish::stop, Form::kept), Result::ask_again);
    EXPECT_EQ(told(), "started\n");
}

TEST_F(AJsonReview, ForgetsARoundThatSomebodyElseAnswers) {
    ask_for(format);
    filter_->on(Started{});
    say("Half an ans");
    filter_->on(ToolStarted{0, 0, "call_1", "theirs"});
    filter_->on(Started{Form::kept});
    say(R"({\"a\":1})");
    EXPECT_EQ(end(), Result::told);
    EXPECT_EQ(told(), "started\nstarted\ntext 0 \"{\\\"a\\\":1}\"\nfinish 0 stop\nusage fresh=10 "
                      "out=1\nended\n");
}

}  // namespace
}  // namespace runnel::exchange
