#include "guardrail/json_strings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::guardrail {
namespace {

using ::testing::ElementsAre;

// Keys as "a:", values of members as "a=one".
std::vector<std::string> strings_of(std::string_view json) {
    std::vector<std::string> strings;
    for_each_string(json, [&](const JsonString& string) {
        strings.push_back(string.is_key        ? fmt::format("{}:", string.escaped)
                          : string.key.empty() ? std::string(string.escaped)
                                               : fmt::format("{}={}", string.key, string.escaped));
    });
    return strings;
}

TEST(JsonStrings, AreKeysAndValues) {
    EXPECT_THAT(strings_of(R"({"a": "one", "b" : ["two", {"c":"th\"ree"}], "d": 4, "e": null})"),
                ElementsAre("a:", "a=one", "b:", "two", "c:", R"(c=th\"ree)", "d:", "e:"));
    EXPECT_THAT(strings_of(R"("alone")"), ElementsAre("alone"));
    EXPECT_THAT(strings_of(""), ElementsAre());
}

TEST(JsonStrings, EndWithATextThatWasCutOff) {
    EXPECT_THAT(strings_of(R"({"a":"cut of)"), ElementsAre("a:", "a=cut of"));
    EXPECT_THAT(strings_of(R"({"a":"x\)"), ElementsAre("a:", R"(a=x\)"));
}

TEST(JsonStrings, AreNoWordsWhereTheyAreIdentifiersAndKinds) {
    EXPECT_TRUE(names_words("text"));
    EXPECT_TRUE(names_words(""));
    for (const std::string_view key : {"role", "type", "id", "signature"})
        EXPECT_FALSE(names_words(key)) << key;
}

}  // namespace
}  // namespace runnel::guardrail
