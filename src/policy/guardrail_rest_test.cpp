#include "policy/guardrail_rest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::policy {
namespace {

using ::testing::ElementsAre;

std::vector<std::string_view> rest_of(std::string_view json,
                                      std::vector<std::string_view> seen = {}) {
    std::vector<std::string_view> rest;
    RestOfJson(json, std::move(seen)).for_each([&](std::string_view text) {
        rest.push_back(text);
    });
    return rest;
}

TEST(RestOfJson, IsTheStringsThatAreValues) {
    EXPECT_THAT(rest_of(R"({"a": "one", "b" : ["two", {"c":"th\"ree"}], "d": 4, "e": null})"),
                ElementsAre("one", "two", R"(th\"ree)"));
    EXPECT_THAT(rest_of(R"("alone")"), ElementsAre("alone"));
    EXPECT_THAT(rest_of(R"({"a":"cut of)"), ElementsAre("cut of"));
    EXPECT_THAT(rest_of(R"({"a":"x\)"), ElementsAre(R"(x\)"));
    EXPECT_THAT(rest_of(""), ElementsAre());
}

TEST(RestOfJson, IsNoIdentifiersAndKinds) {
    EXPECT_THAT(rest_of(R"({"role":"user","id":"1","type":"text","text":"t"})"), ElementsAre("t"));
}

TEST(RestOfJson, IsNothingThatSomebodyHasSeen) {
    const std::string_view json =
        R"({"a":"one","b":[{"x":"in"}],"c":"two","c":"three","d":"four"})";
    const auto view = [&](std::string_view part) {
        return json.substr(json.find(part), part.size());
    };
    EXPECT_THAT(rest_of(json, {view("three"), {}, view(R"([{"x":"in"}])"), view("one")}),
                ElementsAre("two", "four"));
    EXPECT_THAT(rest_of(json, {view(R"("four")"), view("two")}), ElementsAre("one", "in", "three"));
}

}  // namespace
}  // namespace runnel::policy
