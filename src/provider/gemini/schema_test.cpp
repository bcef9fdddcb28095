#include "provider/gemini/schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider::gemini {
namespace {

struct Case {
    std::string_view given;
    std::string_view expected;
};

Schema cleaned(std::string_view raw, PropertyOrder order = PropertyOrder::implied) {
    auto schema = openapi_schema(raw, order);
    EXPECT_TRUE(schema.has_value()) << raw;
    return schema ? *schema : Schema{};
}

// As the schema of a property, which is where most of them stand.
std::string cleaned_property(std::string_view schema) {
    const Schema whole = cleaned(fmt::format(
        R"({{"type":"object","properties":{{"p":{}}},"$defs":{{"P":{{"type":"object","properties":{{"x":{{"type":"number"}}}}}}}}}})",
        schema));
    constexpr std::string_view before = R"({"type":"object","properties":{"p":)";
    EXPECT_TRUE(whole.text.starts_with(before)) << whole.text;
    return whole.text.substr(before.size(), whole.text.size() - before.size() - 2);
}

TEST(GeminiSchema, LeavesAPlainSchemaAsItIs) {
    constexpr std::string_view plain =
        R"({"type":"object","properties":{"z":{"type":"string","description":"a \"z\""},"a":{"type":"integer","minimum":1,"maximum":10.50},"l":{"type":"array","items":{"type":"string","enum":["b","a"]},"minItems":1}},"required":["z"]})";
    const Schema schema = cleaned(plain);
    EXPECT_EQ(schema.text, plain);
    EXPECT_FALSE(schema.sanitised);
    EXPECT_FALSE(schema.recursive);
}

TEST(GeminiSchema, DropsWhatGeminiRefuses) {
    const Schema schema = cleaned(
        R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","additionalProperties":false,"strict":true,)"
        R"("properties":{"q":{"type":"string","default":"","examples":["a"],"format":"uri"},"$schema":{"type":"string"}},"required":["q","gone"],"$defs":{"P":{"type":"string"}}})");
    EXPECT_EQ(
        schema.text,
        R"({"type":"object","properties":{"q":{"type":"string"},"$schema":{"type":"string"}},"required":["q"]})");
    EXPECT_TRUE(schema.sanitised);
}

TEST(GeminiSchema, SaysTheSameInOpenApisWords) {
    constexpr Case cases[] = {
        {R"({"$ref":"#/$defs/P"})", R"({"type":"object","properties":{"x":{"type":"number"}}})"},
        {R"({"$ref":"#/$defs/P","description":"where"})",
         R"({"type":"object","properties":{"x":{"type":"number"}},"description":"where"})"},
        {R"({"$ref":"https://example.com/other"})", R"({"type":"object"})"},
        {R"({"type":["string","null"]})", R"({"type":"string","nullable":true})"},
        {R"({"type":["string","number"]})", R"({"anyOf":[{"type":"string"},{"type":"number"}]})"},
        {R"({"anyOf":[{"type":"string"},{"type":"null"}],"description":"d"})",
         R"({"type":"string","description":"d","nullable":true})"},
        {R"({"anyOf":[{"$ref":"#/$defs/P"},{"type":"null"}]})",
         R"({"type":"object","nullable":true,"properties":{"x":{"type":"number"}}})"},
        {R"({"anyOf":[{"$ref":"#/$defs/P"},{"type":"array","items":{"$ref":"#/$defs/P"}}]})",
         R"({"anyOf":[{"type":"object","properties":{"x":{"type":"number"}}},{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"}}}}]})"},
        {R"({"oneOf":[{"type":"string"},{"type":"integer"}],"title":"T"})",
         R"({"anyOf":[{"type":"string","title":"T"},{"type":"integer","title":"T"}]})"},
        {R"({"allOf":[{"$ref":"#/$defs/P"},{"properties":{"y":{"type":"string"}},"required":["y"]}]})",
         R"({"type":"object","properties":{"x":{"type":"number"},"y":{"type":"string"}},"required":["y"]})"},
        {R"({"const":"on"})", R"({"type":"string","enum":["on"]})"},
        {R"({"enum":["a","",null]})", R"({"type":"string","nullable":true,"enum":["a"]})"},
        {R"({"type":"integer","enum":[1,2]})", R"({"type":"integer"})"},
        {R"({"type":"array"})", R"({"type":"array","items":{"type":"string"}})"},
        {R"({"type":"array","items":[{"type":"string"},{"type":"number"}]})",
         R"({"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}})"},
        {R"({"prefixItems":[{"type":"string"}]})", R"({"type":"array","items":{"type":"string"}})"},
        {R"({"type":"object","properties":{}})", R"({"type":"object"})"},
        {R"({"properties":{"a":{"type":"string"}}})",
         R"({"type":"object","properties":{"a":{"type":"string"}}})"},
        {"true", R"({"type":"object"})"},
        {R"({"type":"string","format":"date-time"})", R"({"type":"string","format":"date-time"})"},
    };
    for (const Case& c : cases) EXPECT_EQ(cleaned_property(c.given), c.expected) << c.given;
}

TEST(GeminiSchema, AnObjectWithoutPropertiesIsLeftOut) {
    EXPECT_EQ(cleaned(R"({"type":"object"})").text, "");
    EXPECT_EQ(cleaned(R"({"type":"object","properties":{},"additionalProperties":false})").text,
              "");
}

TEST(GeminiSchema, ItsRootStaysAnObject) {
    EXPECT_EQ(
        cleaned(
            R"({"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]})")
            .text,
        R"({"type":"object","properties":{"a":{"type":"string"}}})");
}

TEST(GeminiSchema, SpellsOutTheOrderOfMembersWhereAsked) {
    EXPECT_EQ(
        cleaned(R"({"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}})",
                PropertyOrder::spelled_out)
            .text,
        R"({"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}},"propertyOrdering":["b","a"]})");
}

TEST(GeminiSchema, KnowsASchemaThatContainsItself) {
    EXPECT_TRUE(
        cleaned(
            R"({"type":"object","properties":{"n":{"$ref":"#/definitions/N"}},"definitions":{"N":{"type":"object","properties":{"next":{"$ref":"#/definitions/N"}}}}})")
            .recursive);
    EXPECT_TRUE(cleaned(R"({"type":"object","properties":{"again":{"$ref":"#"}}})").recursive);
    EXPECT_FALSE(
        cleaned(
            R"({"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}})")
            .recursive);
}

TEST(GeminiSchema, RefusesOneThatGrowsPastAllMeasure) {
    std::string schema = R"({"type":"object","properties":{"a":{"$ref":"#/$defs/D0"}},"$defs":{)";
    for (int i = 0; i < 30; ++i)
        schema += fmt::format(
            R"("D{0}":{{"properties":{{"a":{{"$ref":"#/$defs/D{1}"}},"b":{{"$ref":"#/$defs/D{1}"}}}}}},)",
            i, i + 1);
    schema += R"("D30":{"type":"string"}}})";
    const auto refused = openapi_schema(schema, PropertyOrder::implied);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::tool_schema_invalid);
}

TEST(GeminiSchema, RefusesWhatIsNoJson) {
    for (const std::string_view raw : {"", "{", R"({"type":})", "7"})
        EXPECT_FALSE(openapi_schema(raw, PropertyOrder::implied).has_value()) << raw;
}

TEST(GeminiSchema, RefusesATextThatStandsInTooManyPlaces) {
    std::string schema = R"({"type":"object","properties":{)";
    for (int i = 0; i < 1'000; ++i)
        schema += fmt::format(R"({}"p{}":{{"$ref":"#/$defs/D"}})", i == 0 ? "" : ",", i);
    schema += R"(},"$defs":{"D":{"type":"string","description":")" + std::string(100'000, 'x');
    const auto refused = openapi_schema(schema + R"("}}})", PropertyOrder::implied);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, ErrorKind::tool_schema_invalid);
}

TEST(GeminiSchema, NamesWhatIsRequiredOnce) {
    EXPECT_EQ(
        cleaned(
            R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b","c","a","b"]})")
            .text,
        R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b","a"]})");
}

}  // namespace
}  // namespace runnel::provider::gemini
