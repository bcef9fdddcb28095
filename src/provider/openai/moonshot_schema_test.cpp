#include "provider/openai/moonshot_schema.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

std::string cleaned(std::string_view raw) { return moonshot_schema(raw).text; }

TEST(MoonshotSchema, HasAnObjectAtItsRoot) {
    EXPECT_EQ(cleaned(R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{}})"),
              R"({"properties":{},"type":"object"})");
    const auto root = moonshot_schema(
        R"({"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"type":"string"}}})");
    EXPECT_EQ(root.text, R"({"type":"object","properties":{"a":{"type":"string"}}})");
    EXPECT_TRUE(root.lossy);
}

TEST(MoonshotSchema, HasTuplesAsPrefixItemsAtAnyDepth) {
    EXPECT_EQ(
        cleaned(R"({"type":"object","properties":{"p":{"type":"array","items":[{"type":"number"},)"
                R"({"type":"array","items":[{"type":"string"}]}],"additionalItems":false}}})"),
        R"({"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},)"
        R"({"type":"array","prefixItems":[{"type":"string"}]}],"items":false}}})");
}

TEST(MoonshotSchema, HasTypesInsideOfAlternatives) {
    EXPECT_EQ(
        cleaned(
            R"({"type":"object","properties":{"a":{"type":"string","anyOf":[{"enum":["x"]},{"type":"null"}]}}})"),
        R"({"type":"object","properties":{"a":{"anyOf":[{"enum":["x"],"type":"string"},{"type":"null"}]}}})");
}

TEST(MoonshotSchema, SaysTheRestAsItWas) {
    for (const std::string_view schema :
         {R"({"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]})",
          R"({"type":"object","properties":{"type":{"type":"string"},"anyOf":{"type":"string"}}})",
          "true"}) {
        EXPECT_EQ(cleaned(schema), schema);
        EXPECT_FALSE(moonshot_schema(schema).lossy);
    }
}

}  // namespace
}  // namespace runnel::provider
