#include "tools/mcp/param_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools::mcp {
namespace {

using testing::ElementsAre;

Result<std::vector<ParamHeader>> find(std::string schema) {
    json::Parser parser;
    return find_param_headers(&parser, std::move(schema));
}

constexpr const char* region_schema =
    R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
    "where":{"type":"object","properties":{"floor":{"x-mcp-header":"Floor","type":"integer"}}},
    "query":{"type":"string","default":{"x-mcp-header":"No"}}}})";

TEST(McpParamHeaders, FindsMarksAlongProperties) {
    auto found = find(region_schema);
    ASSERT_TRUE(found);
    EXPECT_THAT(*found, ElementsAre(ParamHeader{{"region"}, "Mcp-Param-Region"},
                                    ParamHeader{{"where", "floor"}, "Mcp-Param-Floor"}));
}

TEST(McpParamHeaders, APropertyMayHaveTheMarksName) {
    auto found = find(R"({"properties":{"x-mcp-header":{"type":"string"}}})");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->empty());
}

TEST(McpParamHeaders, RefusesMarksThatTheSpecificationRefuses) {
    for (const char* schema :
         {R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":"a b"}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})",
          R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
          R"({"properties":{"a":{"x-mcp-header":"A"}}})",
          R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},
                            "b":{"type":"string","x-mcp-header":"a"}}})",
          R"({"type":"string","x-mcp-header":"A"})",
          R"({"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}})",
          R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
          R"({"$defs":{"a":{"type":"string","x-mcp-header":"A"}}})"})
        EXPECT_FALSE(find(schema)) << schema;
}

TEST(McpParamHeaders, RepeatsTheValuesThatAreThere) {
    json::Parser parser;
    const auto found = find(region_schema);
    std::vector<HeaderField> headers;
    append_param_headers(&parser, *found,
                         R"({"where":{"floor":-7},"region":"us-west1","query":"x"})", headers);
    EXPECT_THAT(headers, ElementsAre(HeaderField{"Mcp-Param-Floor", "-7"},
                                     HeaderField{"Mcp-Param-Region", "us-west1"}));
    headers.clear();
    append_param_headers(&parser, *found, R"({"region":null,"query":"x"})", headers);
    EXPECT_TRUE(headers.empty());
}

TEST(McpParamHeaders, EncodesWhatAHeaderCantCarry) {
    EXPECT_EQ(header_value("us-west1"), "us-west1");
    EXPECT_EQ(header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    EXPECT_EQ(header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
    EXPECT_EQ(header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
    EXPECT_EQ(header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

}  // namespace
}  // namespace runnel::tools::mcp
