#include "tools/rounds/strict_calls.hpp"

#include "support/openai_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

chat::Request with_tools() {
    return testing::openai_request(
        R"({"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[
            {"type":"function","function":{"name":"strict","strict":true,"parameters":
              {"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}},
            {"type":"function","function":{"name":"bare","strict":true}},
            {"type":"function","function":{"name":"loose","parameters":
              {"type":"object","required":["n"]}}}]})");
}

TEST(StrictCalls, AreCheckedAgainstTheirToolsSchema) {
    const chat::Request request = with_tools();
    EXPECT_TRUE(has_strict_tools(request));
    const auto problems = [&](std::string name, std::string arguments) {
        return strict_problems(request, {"call_1", std::move(name), std::move(arguments)});
    };
    EXPECT_THAT(problems("strict", R"({\"n\":1})"), IsEmpty());
    EXPECT_THAT(problems("strict", R"({\"n\":\"1\"})"),
                ElementsAre("$.n must be an integer, not a string"));
    EXPECT_THAT(problems("strict", "{"), ElementsAre("the arguments are not a JSON object"));
    EXPECT_THAT(problems("strict", "[]"), ElementsAre("the arguments are not a JSON object"));
    EXPECT_THAT(problems("bare", "{}"), IsEmpty());
    EXPECT_THAT(problems("bare", "1"), ElementsAre("the arguments are not a JSON object"));
    EXPECT_THAT(problems("loose", "{}"), IsEmpty());
    EXPECT_THAT(problems("another", "{"), IsEmpty());
}

TEST(StrictCalls, AreLookedForInToolsThatSaySo) {
    chat::Request request = with_tools();
    request.tools.erase(request.tools.begin(), request.tools.begin() + 2);
    EXPECT_FALSE(has_strict_tools(request));
}

}  // namespace
}  // namespace runnel::tools
