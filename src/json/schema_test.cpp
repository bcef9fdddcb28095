#include "json/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace runnel::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> problems(std::string_view schema, std::string_view value) {
    const auto rules = read_tree(schema);
    const auto tree = read_tree(value);
    EXPECT_TRUE(rules) << schema;
    EXPECT_TRUE(tree) << value;
    return rules && tree ? schema_problems(*rules, *tree) : std::vector<std::string>{};
}

struct Row {
    std::string_view schema;
    std::initializer_list<std::string_view> fit;
    std::initializer_list<std::string_view> unfit;
};

void expect(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
        for (const std::string_view value : row.fit)
            EXPECT_THAT(problems(row.schema, value), IsEmpty()) << row.schema << "\n" << value;
        for (const std::string_view value : row.unfit)
            EXPECT_FALSE(problems(row.schema, value).empty()) << row.schema << "\n" << value;
    }
}

TEST(Schema, SaysWhatAnyValueIs) {
    expect({
        {"true", {"1", "{}"}, {}},
        {"{}", {"1", "null"}, {}},
        {"false", {}, {"1", "{}"}},
        {R"({"type":"integer"})",
         {"1", "-0", "1.0", "1e3", "12345678901234567890123"},
         {"1.5", R"("1")", "null", "true", "[]", "{}"}},
        {R"({"type":"number"})", {"1", "1.5"}, {R"("1")", "null"}},
        {R"({"type":"string"})", {R"("")", R"("1")"}, {"1", "[]"}},
        {R"({"type":"boolean"})", {"true", "false"}, {"0", R"("true")", "null"}},
        {R"({"type":"null"})", {"null"}, {"0", "false", R"("")"}},
        {R"({"type":"array"})", {"[]"}, {"{}"}},
        {R"({"type":"object"})", {"{}"}, {"[]"}},
        {R"({"type":["integer","string"]})", {"1", R"("a")"}, {"1.1", "null"}},
        {R"({"enum":[6,"foo",[],true,{"foo":12}]})",
         {"6", "6.0", R"("foo")", "[]", "true", R"({"foo":12.0})"},
         {"1", R"("Foo")", R"({"foo":false})", R"({"foo":12,"boo":42})"}},
        {R"({"enum":[false]})", {"false"}, {"0", "[false]", "null"}},
        {R"({"enum":["a\u0041"]})", {R"("\u0061A")"}, {R"("aa")"}},
        {R"({"const":{"foo":"bar","baz":"bax"}})",
         {R"({"baz":"bax","foo":"bar"})"},
         {R"({"foo":"bar"})", "5"}},
        {R"({"const":9007199254740992})",
         {"9007199254740992", "9007199254740992.0"},
         {"9007199254740993"}},
        {R"({"const":null})", {"null"}, {"0"}},
    });
}

TEST(Schema, BoundsNumbersAndStrings) {
    expect({
        {R"({"minimum":1.1})", {"2.6", "1.1", R"("x")"}, {"0.6"}},
        {R"({"maximum":3})", {"3", "3.0", "-1"}, {"3.5"}},
        {R"({"exclusiveMinimum":1.1})", {"1.2"}, {"1.1", "0.6"}},
        {R"({"exclusiveMaximum":3})", {"2.2"}, {"3", "3.5"}},
        {R"({"minimum":3,"exclusiveMinimum":true})", {"3"}, {"2"}},
        {R"({"multipleOf":0.01})", {"4.35", "0", "0.3"}, {"0.0075"}},
        {R"({"multipleOf":2})", {"10", R"("x")"}, {"7"}},
        {R"({"minLength":2})", {R"("fo")", "1", R"("\ud83d\udca9é")"}, {R"("f")", R"("💩")"}},
        {R"({"maxLength":2})", {R"("f")", R"("💩💩")", R"("\n\t")"}, {R"("foo")"}},
        {R"({"pattern":"^a*$"})", {R"("aaa")", "1"}, {R"("abc")"}},
        {R"({"pattern":"a+"})", {R"("xxaayy")"}, {R"("x")"}},
        {R"({"pattern":"^\\d{4}-\\d{2}$"})", {R"("2026-11")"}, {R"("26-11")"}},
        {R"x({"pattern":"(?=x)"})x", {R"("no such thing in RE2")"}, {}},
        {R"({"format":"email"})", {R"("anything")"}, {}},
        {R"({"minimum":"5","type":5,"required":"a","items":3,"enum":1})", {"1", "[1]", "{}"}, {}},
    });
}

TEST(Schema, DescribesArrays) {
    expect({
        {R"({"items":{"type":"integer"}})", {"[1,2]", "[]", R"({"0":"x"})"}, {R"([1,"x"])"}},
        {R"({"items":false})", {"[]"}, {"[1]"}},
        {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})",
         {R"([1,"foo"])", "[1]", "[]", R"([1,"foo",true])"},
         {R"(["foo",1])"}},
        {R"({"prefixItems":[{},{}],"items":{"type":"integer"}})",
         {R"(["a","b",1])"},
         {R"([1,2,"x"])"}},
        {R"({"prefixItems":[{}],"items":false})", {"[1]"}, {"[1,2]"}},
        {R"({"items":[{"type":"integer"}],"additionalItems":{"type":"string"}})",
         {R"([1,"x"])", "[1]"},
         {R"(["x"])", "[1,2]"}},
        {R"({"minItems":1})", {"[1]", "{}"}, {"[]"}},
        {R"({"maxItems":2})", {"[1,2]"}, {"[1,2,3]"}},
        {R"({"uniqueItems":true})",
         {"[1,2]", R"([{"a":1},{"a":2}])", "[1,true]"},
         {"[1,1]", "[1.0,1]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
        {R"({"contains":{"minimum":5}})", {"[3,5]", "{}"}, {"[2,3]", "[]"}},
        {R"({"contains":{"const":1},"minContains":2,"maxContains":3})",
         {"[1,1]", "[1,1,1,2]"},
         {"[1]", "[1,1,1,1]"}},
        {R"({"contains":{"const":1},"minContains":0})", {"[]", "[2]"}, {}},
    });
}

TEST(Schema, DescribesObjects) {
    expect({
        {R"({"properties":{"foo":{"type":"integer"},"bar":{"type":"string"}}})",
         {R"({"foo":1,"bar":"b"})", "{}", R"({"quux":[]})", "[]"},
         {R"({"foo":1,"bar":{}})", R"({"foo":[],"bar":{}})"}},
        {R"({"properties":{"foo":{"type":"integer"}}})", {}, {R"({"foo":1,"foo":"twice"})"}},
        {R"({"required":["foo"]})", {R"({"foo":1})", "1"}, {R"({"bar":1})"}},
        {R"({"required":["foo\nbar"]})", {R"({"foo\nbar":1})"}, {"{}"}},
        {R"({"additionalProperties":false,"properties":{"a":{}},"patternProperties":{"^v":{}}})",
         {R"({"a":1})", R"({"vroom":2})"},
         {R"({"b":1})"}},
        {R"({"additionalProperties":{"type":"boolean"},"properties":{"a":{}}})",
         {R"({"a":1,"b":true})"},
         {R"({"b":12})"}},
        {R"({"patternProperties":{"f.*o":{"type":"integer"}}})",
         {R"({"foo":1,"bar":"x"})"},
         {R"({"foo":"bar"})"}},
        {R"({"propertyNames":{"maxLength":3}})", {R"({"f":1})"}, {R"({"foobar":1})"}},
        {R"({"minProperties":1})", {R"({"a":1})", "[]"}, {"{}"}},
        {R"({"maxProperties":1})", {R"({"a":1})"}, {R"({"a":1,"b":2})"}},
        {R"({"dependentRequired":{"bar":["foo"]}})",
         {R"({"foo":1})", R"({"foo":1,"bar":2})"},
         {R"({"bar":2})"}},
        {R"({"dependencies":{"bar":["foo"],"baz":{"minProperties":2}}})",
         {R"({"foo":1,"bar":2})", R"({"baz":1,"x":2})"},
         {R"({"bar":2})", R"({"baz":1})"}},
        {R"({"dependentSchemas":{"bar":{"required":["foo"]}}})", {"{}"}, {R"({"bar":2})"}},
    });
}

TEST(Schema, CombinesSchemas) {
    expect({
        {R"({"allOf":[{"required":["a"]},{"properties":{"a":{"type":"integer"}}}]})",
         {R"({"a":1})"},
         {"{}", R"({"a":"x"})"}},
        {R"({"anyOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", "3"}, {"1.5"}},
        {R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5"}, {"3", "1.5"}},
        {R"({"not":{"type":["integer","boolean"]}})", {R"("foo")"}, {"1", "true"}},
        {R"({"not":false})", {"1"}, {}},
        {R"({"if":{"exclusiveMaximum":0},"then":{"minimum":-10},"else":{"multipleOf":2}})",
         {"-1", "4"},
         {"-100", "3"}},
        {R"({"anyOf":[]})", {"1"}, {}},
    });
}

TEST(Schema, FollowsReferences) {
    expect({
        {R"({"properties":{"foo":{"$ref":"#"}},"additionalProperties":false})",
         {R"({"foo":{"foo":{}}})"},
         {R"({"foo":{"bar":1}})"}},
        {R"({"$defs":{"a~b/c%":{"type":"integer"}},"$ref":"#/$defs/a~0b~1c%25"})",
         {"1"},
         {R"("x")"}},
        {R"({"prefixItems":[{"type":"integer"},{"$ref":"#/prefixItems/0"}]})",
         {"[1,2]"},
         {R"([1,"x"])"}},
        {R"({"definitions":{"node":{"type":"object","required":["v"],"properties":{"next":
             {"$ref":"#/definitions/node"}}}},"$ref":"#/definitions/node"})",
         {R"({"v":1,"next":{"v":2}})"},
         {R"({"v":1,"next":{}})"}},
        {R"({"$ref":"https://example.com/other"})", {"1"}, {}},
        {R"({"$ref":"#/$defs/nowhere"})", {"1"}, {}},
        {R"({"$ref":"#/$defs/a","maximum":3,"$defs":{"a":{"type":"integer"}}})", {"3"}, {"4"}},
    });
}

TEST(Schema, NamesThePlaceAndTheReason) {
    EXPECT_THAT(problems(R"({"type":"object","required":["name","b"],"properties":{"items":{"items":
                             {"properties":{"price":{"type":"number"}}}},"b":{"type":"integer"}}})",
                         R"({"items":[{"price":1},{"price":"2"}],"b":1.5})"),
                ElementsAre("$ lacks \"name\", which is required",
                            "$.items[1].price must be a number, not a string",
                            "$.b must be an integer, not 1.5"));
    EXPECT_THAT(
        problems(R"({"properties":{"a b":{"enum":["x","y"]}},"additionalProperties":false})",
                 R"({"a b":1,"c":2})"),
        ElementsAre(R"($["a b"] must be one of ["x","y"])", R"($ must not have "c")"));
    EXPECT_THAT(problems(R"({"minItems":3})", "[1]"),
                ElementsAre("$ must have at least 3 elements"));
    EXPECT_THAT(problems(R"({"anyOf":[{"required":["a","b"]},{"properties":{"c":{"const":1}}}]})",
                         R"({"c":2})"),
                ElementsAre("$ fits none of its alternatives; the closest one lacks this:",
                            "$.c must be 1"));
    EXPECT_THAT(problems(R"({"type":["string","null"]})", "{}"),
                ElementsAre("$ must be a string or null, not an object"));
}

TEST(Schema, TellsTheFirstFewProblemsInFewWords) {
    std::string schema = R"({"required":[)";
    for (int i = 0; i < 100; ++i)
        schema +=
            std::string(i == 0 ? "" : ",") + '"' + std::string(500, 'x') + std::to_string(i) + '"';
    const auto told = problems(schema + "]}", "{}");
    EXPECT_EQ(told.size(), 8u);
    for (const std::string& problem : told) EXPECT_LT(problem.size(), 200u);
}

TEST(Schema, ThatRunsInCirclesOrNeverEndsIsAProblem) {
    EXPECT_THAT(problems(R"({"$ref":"#"})", "1"),
                ElementsAre("the schema is too deep or too large to check a value by it"));
    EXPECT_EQ(problems(R"({"not":{"$ref":"#"}})", "1").size(), 1u);
    // Two ways at each of many steps.
    EXPECT_EQ(
        problems(
            R"({"items":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]},"maxItems":1,"not":{"const":5}})",
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[5]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]")
            .size(),
        1u);
    std::string many = "[0";
    for (int i = 1; i < 10'000; ++i) many += "," + std::to_string(i);
    EXPECT_EQ(problems(R"({"uniqueItems":true})", many + "]").size(), 1u);
}

// Each of these would take minutes if it were not for the bound.
TEST(Schema, ThatHasMuchToSayAboutMuchEnds) {
    const auto times = [](int count, auto each) {
        std::string all;
        for (int i = 0; i < count; ++i)
            all.append(i == 0 ? "" : ",").append(each(std::to_string(i)));
        return all;
    };
    const auto member = [](const std::string& name) { return '"' + name + R"(":0)"; };
    const auto name = [](const std::string& text) { return '"' + text + '"'; };
    const std::string value = '{' + times(40'000, member) + '}';
    const std::string backwards =
        '{' +
        times(40'000,
              [](const std::string& i) {
                  return '"' + std::to_string(39'999 - std::stoi(i)) + R"(":0)";
              }) +
        '}';
    const std::string schemas[] = {
        R"({"required":[)" + times(19'000, name) + "]}",
        R"({"additionalProperties":false,"properties":{)" + times(9'000, member) + "}}",
        R"({"patternProperties":{)" + times(9'000, member) + "}}",
        R"({"const":)" + backwards + '}',
    };
    for (const std::string& schema : schemas)
        EXPECT_EQ(problems(schema, value).size(), 1u) << schema.substr(0, 40);
}

}  // namespace
}  // namespace runnel::json
