#include "provider/core/logprobs.hpp"

#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

// What is told of a choice's `logprobs`.
std::string told(std::string_view raw) {
    std::string text = fmt::format(R"({{"logprobs":{}}})", raw);
    json::Parser parser;
    json::ondemand::document document;
    json::ondemand::value value;
    if (parser.parse(Padded::of(text), document) || document["logprobs"].get(value)) return "?";
    LogprobsReader reader;
    reader.read(value);
    testing::TimelineRecorder recorder;
    IdSource ids(1);
    Turn turn({}, &recorder, &ids);
    reader.tell(0, turn);
    return recorder.text();
}

TEST(LogprobsReader, TellsEachTokenWithWhatElseItCouldHaveBeen) {
    EXPECT_EQ(
        told(R"({"content":[{"token":"a","logprob":-0.50,"bytes":[97],"top_logprobs":[)"
             R"({"token":"a","logprob":-0.50,"bytes":[97]},{"token":"b","logprob":-1}]},)"
             R"({"token":"\n","logprob":-2,"bytes":null,"top_logprobs":[]}],"refusal":null})"),
        R"(logprobs 0 text "a":-0.50[97]("a":-0.50[97] "b":-1) "\n":-2)"
        "\n");
}

TEST(LogprobsReader, TellsThoseOfThoughtsApart) {
    EXPECT_EQ(told(R"({"content":[{"token":"a","logprob":-1}],)"
                   R"("reasoning_content":[{"token":"b","logprob":-2}]})"),
              "logprobs 0 text \"a\":-1\nlogprobs 0 reasoning \"b\":-2\n");
}

TEST(LogprobsReader, TakesTokensThatLackMembers) {
    EXPECT_EQ(told(R"({"refusal":[{"token":"n","logprob":null,"top_logprobs":null},7,{}]})"),
              "logprobs 0 refusal \"n\":0 \"\":0\n");
    EXPECT_EQ(told(R"({"content":[{"token":"n","logprob":"x","bytes":[1,"y"]}]})"),
              "logprobs 0 text \"n\":0\n");
}

TEST(LogprobsReader, ShowsATokenThatIsHalfACharacterAsAReplacement) {
    EXPECT_EQ(told(R"({"content":[{"token":"\ud83d","logprob":-0.5}]})"),
              "logprobs 0 text \"\uFFFD\":-0.5\n");
}

TEST(LogprobsReader, ReadsTheListsOfTheOlderFormat) {
    EXPECT_EQ(
        told(
            R"({"tokens":["a","\n","b"],"token_logprobs":[-0.5,null],"top_logprobs":null,"text_offset":[0]})"),
        R"(logprobs 0 text "a":-0.5 "\n":0 "b":0)"
        "\n");
}

TEST(LogprobsReader, TellsNothingWhereThereIsNothing) {
    for (const char* raw :
         {"null", "-0.5", "{}", R"({"content":null})", R"({"content":[]})", R"({"tokens":["a"]})"})
        EXPECT_EQ(told(raw), "") << raw;
}

}  // namespace
}  // namespace runnel::provider
