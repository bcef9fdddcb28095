#include "tools/rounds/json_contract.hpp"

#include "support/openai_requests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using timeline::Finish;

chat::Request asking(std::string_view fields) {
    return testing::openai_request(
        fmt::format(R"({{"model":"m","messages":[{{"role":"user","content":"Hi"}}]{}}})", fields));
}

constexpr std::string_view integer_a =
    R"({"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}})";

std::string schema_format(std::string_view options = "") {
    return fmt::format(
        R"(,"response_format":{{"type":"json_schema","json_schema":{{"name":"n","schema":{}{}}}}})",
        integer_a, options);
}

TEST(JsonContract, IsMadeWhereJsonIsAskedForOnce) {
    EXPECT_FALSE(JsonContract::of(asking("")));
    EXPECT_FALSE(JsonContract::of(asking(R"(,"response_format":{"type":"text"})")));
    EXPECT_FALSE(JsonContract::of(asking(R"(,"n":2,"response_format":{"type":"json_object"})")));
    EXPECT_TRUE(JsonContract::of(asking(R"(,"response_format":{"type":"json_object"})")));
}

struct Terms {
    std::string fields;
    bool binding;
    bool bare;
    int attempts;
    bool in_words;
};

TEST(JsonContract, BindsTheGatewayWhereTheClientReliesOnIt) {
    const Terms all[] = {
        {R"(,"json_only":true)", true, true, 1, true},
        {R"(,"response_schema":{})", true, false, 3, true},
        {R"(,"json_only":true,"response_schema":{})", true, true, 3, true},
        {R"(,"response_format":{"type":"json_object"})", false, false, 3, false},
        {R"(,"json_only":true,"response_format":{"type":"json_object"})", true, true, 3, false},
        {schema_format(), false, false, 3, false},
        {schema_format(R"(,"healing_options":{"max_attempts":7})"), true, false, 7, false},
    };
    for (const Terms& terms : all) {
        const chat::Request request = asking(terms.fields);
        const auto contract = JsonContract::of(request);
        ASSERT_TRUE(contract) << terms.fields;
        EXPECT_EQ(contract->binding(), terms.binding) << terms.fields;
        EXPECT_EQ(contract->bare(), terms.bare) << terms.fields;
        EXPECT_EQ(contract->attempts(), terms.attempts) << terms.fields;
        EXPECT_EQ(contract->instruction().empty(), !terms.in_words) << terms.fields;
    }
}

TEST(JsonContract, TellsTheModelTheSchema) {
    const chat::Request request =
        asking(R"(,"response_schema":{ "type" : "array", "items" : {"type":"string"} })");
    EXPECT_THAT(JsonContract::of(request)->instruction(),
                HasSubstr(R"({"type":"array","items":{"type":"string"}})"));
}

TEST(JsonContract, FindsTheJsonThatFits) {
    const chat::Request request = asking(schema_format());
    const auto contract = JsonContract::of(request);
    const auto verdict = [&](std::string_view escaped, Finish finish = Finish::stop) {
        return contract->examine(escaped, finish);
    };
    EXPECT_EQ(verdict(R"(Not {\"b\":1} but:\n```json\n{\n \"a\": 1\n}\n```)").json, R"({"a":1})");
    EXPECT_EQ(verdict(R"({\"x\":0} or rather {\"a\":1})").json, R"({"a":1})");
    EXPECT_THAT(verdict(R"({\"a\":\"1\"})").problems,
                ElementsAre("$.a must be an integer, not a string"));
    EXPECT_THAT(verdict("Paris").problems, ElementsAre("it is not JSON"));
    EXPECT_THAT(verdict("").problems, ElementsAre("it is not JSON"));
    EXPECT_TRUE(verdict(R"({\"a\":1)").good());
    EXPECT_FALSE(verdict(R"({\"a\":1)", Finish::length).good());
    EXPECT_TRUE(verdict(R"({\"a\":1})", Finish::length).good());
}

TEST(JsonContract, TakesAnyJsonWhereThereIsNoSchema) {
    const chat::Request any = asking(R"(,"json_only":true)");
    for (const std::string_view json : {"[1]", "42", "{}"})
        EXPECT_EQ(JsonContract::of(any)->examine(json, Finish::stop).json, json);
    const chat::Request object = asking(R"(,"response_format":{"type":"json_object"})");
    EXPECT_TRUE(JsonContract::of(object)->examine("{}", Finish::stop).good());
    EXPECT_FALSE(JsonContract::of(object)->examine("[1]", Finish::stop).good());
}

TEST(JsonContract, TellsTheModelWhatWasWrong) {
    const chat::Request request = asking(schema_format());
    EXPECT_THAT(JsonContract::of(request)->correction({"$.a must be an integer", "$ lacks \"b\""}),
                HasSubstr("\n- $.a must be an integer\n- $ lacks \"b\"\n"));
}

}  // namespace
}  // namespace runnel::tools
