#include "provider/logprobs.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

TEST(ReadableLogprobs, AreLeftAsTheyStandWhereTheyAreWhole) {
    const std::string whole =
        R"({"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}],"refusal":null})";
    EXPECT_EQ(readable_logprobs(whole), whole);
}

TEST(ReadableLogprobs, GetTheMembersThatSdksInsistOn) {
    EXPECT_EQ(readable_logprobs(R"({"content":[{"token":"a","logprob":-0.5}]})"),
              R"({"content":[{"token":"a","logprob":-0.5,"bytes":null,"top_logprobs":[]}]})");
    EXPECT_EQ(
        readable_logprobs(R"({"refusal":[{"token":"n","logprob":null,"top_logprobs":null}]})"),
        R"({"refusal":[{"token":"n","logprob":0,"bytes":null,"top_logprobs":[]}]})");
}

TEST(ReadableLogprobs, AreLeftAsTheyStandWhereATokenIsHalfACharacter) {
    const std::string half = R"({"content":[{"token":"\ud83d","logprob":-0.5}]})";
    EXPECT_EQ(readable_logprobs(half), half);
}

TEST(ReadableLogprobs, AreMadeFromListsOfTheOlderFormat) {
    EXPECT_EQ(
        readable_logprobs(
            R"({"tokens":["a","\n"],"token_logprobs":[-0.5,null],"top_logprobs":null,"text_offset":[0]})"),
        R"({"content":[{"token":"a","logprob":-0.5,"bytes":null,"top_logprobs":[]},)"
        R"({"token":"\n","logprob":0,"bytes":null,"top_logprobs":[]}]})");
}

TEST(ReadableLogprobs, AreNoneWhereNothingIsTold) {
    for (const char* raw : {"null", "-0.5", "{}", R"({"content":null})", R"({"tokens":["a"]})"})
        EXPECT_EQ(readable_logprobs(raw), "") << raw;
}

}  // namespace
}  // namespace runnel::provider
