#include "json/schema_form.hpp"

#include <gtest/gtest.h>

namespace runnel::json {
namespace {

std::string mistake(std::string_view schema) {
    const auto found = schema_mistake(*read_tree(schema));
    return found ? found->place + " " + found->what : "";
}

TEST(SchemaForm, SaysWhereAMistakeIsAndWhatMustBeThere) {
    EXPECT_EQ(mistake(R"({"type":"objct"})"),
              ".type must be one of string, number, integer, object, boolean, array, null, not "
              "\"objct\"");
    EXPECT_EQ(mistake(R"({"properties":[]})"),
              ".properties must be an object that has a schema for each name, not an array");
    EXPECT_EQ(mistake(R"({"properties":{"a":{"required":true}}})"),
              ".properties.a.required must be an array of names, not true");
    EXPECT_EQ(mistake(R"({"required":["a",1]})"), ".required[1] must be a string, not 1");
    EXPECT_EQ(mistake(R"({"properties":{"of item":"string"}})"),
              ".properties[\"of item\"] must be a JSON Schema: an object, true or false, not "
              "\"string\"");
    EXPECT_EQ(mistake(R"({"anyOf":[{},{"items":{"maxItems":"3"}}]})"),
              ".anyOf[1].items.maxItems must be a number, not \"3\"");
}

TEST(SchemaForm, FindsWhatIsWrongInEveryPlace) {
    for (const std::string_view schema : {"[]",
                                          R"({"type":["string","nul"]})",
                                          R"({"type":3})",
                                          R"({"enum":"a"})",
                                          R"({"$ref":{}})",
                                          R"({"$defs":{"a":{"type":"x"}}})",
                                          R"({"definitions":{"a":1}})",
                                          R"({"allOf":{}})",
                                          R"({"oneOf":[1]})",
                                          R"({"not":{"type":"x"}})",
                                          R"({"if":[]})",
                                          R"({"pattern":1})",
                                          R"({"prefixItems":{}})",
                                          R"({"items":"string"})",
                                          R"({"items":[{"type":"x"}]})",
                                          R"({"additionalProperties":"no"})",
                                          R"({"patternProperties":{"a":[]}})",
                                          R"({"dependentRequired":{"a":"b"}})",
                                          R"({"dependencies":{"a":[1]}})",
                                          R"({"dependencies":{"a":{"type":"x"}}})",
                                          R"({"minimum":"0"})"})
        EXPECT_NE(mistake(schema), "") << schema;
}

TEST(SchemaForm, TakesWhateverHasAMeaning) {
    for (const std::string_view schema :
         {"true", "{}", R"({"type":["string","null"]})", R"({"type":[]})",
          R"({"x-order":[],"format":7,"nullable":true,"title":null,"default":{"type":"x"}})",
          R"({"properties":{"type":{"type":"string"},"required":{}},"required":[]})",
          R"({"items":[{}],"additionalItems":false})", R"({"exclusiveMinimum":true,"minimum":1})",
          R"({"enum":[{"type":"x"}],"const":{"type":"x"},"examples":[{"required":1}]})",
          R"({"required":null,"properties":null,"type":null})", R"({"$ref":"#/nowhere"})",
          R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})"})
        EXPECT_EQ(mistake(schema), "") << schema;
}

}  // namespace
}  // namespace runnel::json
