#include "tools/mcp/tools.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* echo =
    R"({"name":"echo","description":"Says it \"again\"","inputSchema":{"type":"object",
        "$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"string"}}}})";

std::string page(const std::string& tools, const std::string& more = "") {
    return R"({"tools":[)" + tools + "]" + more + "}";
}

std::string named(const std::string& name) {
    return fmt::format(R"({{"name":"{}","inputSchema":{{"type":"object"}}}})", name);
}

struct Reading {
    explicit Reading(std::vector<std::string> allow = {}) : list(std::move(allow)) {}
    Result<std::string> add(std::string result) {
        return list.add_page(&parser, std::move(result));
    }

    json::Parser parser;
    ToolList list;
};

TEST(McpTools, ReadsToolsPageByPage) {
    Reading reading;
    auto next = reading.add(page(echo, R"(,"nextCursor":"p\"2")"));
    ASSERT_TRUE(next);
    EXPECT_EQ(*next, "p\"2");
    auto end = reading.add(page(named("sum")));
    ASSERT_TRUE(end);
    EXPECT_EQ(*end, "");
    ASSERT_THAT(reading.list.tools(), SizeIs(2));
    const ToolSpec& spec = reading.list.tools()[0].spec;
    EXPECT_EQ(spec.name, "echo");
    EXPECT_EQ(spec.description, "Says it \"again\"");
    EXPECT_EQ(spec.parameters_json, R"({"type":"object","properties":{"a":{"type":"string"}}})");
    EXPECT_THAT(reading.list.warnings(), IsEmpty());
}

TEST(McpTools, LeavesOutSchemasThatAreNoObjectsAndNamesTheTool) {
    Reading reading;
    ASSERT_TRUE(reading.add(page(
        R"({"name":"list","inputSchema":{"type":"array"}},{"name":"both","inputSchema":{"type":["object","null"]}},
           {"name":"none"},{"name":"null","inputSchema":null},{"name":"text","inputSchema":"object"},
           {"inputSchema":{"type":"object"}},{"name":"untyped","inputSchema":{}},)" +
        std::string(echo))));
    ASSERT_THAT(reading.list.tools(), SizeIs(2));
    EXPECT_EQ(reading.list.tools()[0].spec.parameters_json, R"({"type":"object"})");
    EXPECT_THAT(reading.list.warnings(),
                ElementsAre(HasSubstr("'list' is left out: its inputSchema is of type \"array\""),
                            HasSubstr("'both'"), HasSubstr("'none'"), HasSubstr("'null'"),
                            HasSubstr("'text'"), HasSubstr("it has no name")));
}

TEST(McpTools, LeavesOutSchemasThatAreTooLarge) {
    Reading reading;
    ASSERT_TRUE(reading.add(page(R"({"name":"big","inputSchema":{"type":"object","description":")" +
                                 std::string(limits::tool_schema_bytes, 'x') + R"("}})")));
    EXPECT_THAT(reading.list.tools(), IsEmpty());
    EXPECT_THAT(reading.list.warnings(), ElementsAre(HasSubstr("'big'")));
}

TEST(McpTools, OnlyWhatIsAllowed) {
    Reading reading({"sum", "gone"});
    ASSERT_TRUE(reading.add(page(named("echo") + "," + named("sum"))));
    reading.list.finish();
    ASSERT_THAT(reading.list.tools(), SizeIs(1));
    EXPECT_EQ(reading.list.tools()[0].name, "sum");
    EXPECT_THAT(reading.list.warnings(), ElementsAre(HasSubstr("`allow` names 'gone'")));
}

TEST(McpTools, NamesAreMadeFitForModels) {
    Reading reading;
    const std::string longest(128, 'n');
    ASSERT_TRUE(reading.add(
        page(named("admin.tools list") + "," + named(longest) + "," + named("admin_tools_list"))));
    ASSERT_THAT(reading.list.tools(), SizeIs(2));
    EXPECT_EQ(reading.list.tools()[0].spec.name, "admin_tools_list");
    EXPECT_EQ(reading.list.tools()[0].name, "admin.tools list");
    EXPECT_EQ(reading.list.tools()[1].spec.name, std::string(64, 'n'));
    EXPECT_THAT(reading.list.warnings(), ElementsAre(HasSubstr("there twice")));
}

TEST(McpTools, AtMostSoManyToolsAndPages) {
    Reading reading;
    for (std::size_t i = 0; i < limits::tool_list_pages; ++i) {
        auto next =
            reading.add(page(named(fmt::format("a{}", i)) + "," + named(fmt::format("b{}", i)) +
                                 "," + named(fmt::format("c{}", i)),
                             R"(,"nextCursor":"again")"));
        ASSERT_TRUE(next);
        EXPECT_EQ(next->empty(), i + 1 == limits::tool_list_pages);
    }
    reading.list.finish();
    EXPECT_THAT(reading.list.tools(), SizeIs(limits::tools));
    EXPECT_THAT(reading.list.warnings(),
                ElementsAre(HasSubstr("64 pages"), HasSubstr("more than 128 tools; 64 are left")));
}

TEST(McpTools, TheShortestTimeToLiveCountsAndZeroDoesNot) {
    Reading reading;
    ASSERT_TRUE(reading.add(page(echo, R"(,"ttlMs":0)")));
    EXPECT_EQ(reading.list.time_to_live(), std::nullopt);
    ASSERT_TRUE(reading.add(page("", R"(,"ttlMs":5000)")));
    ASSERT_TRUE(reading.add(page("", R"(,"ttlMs":9000)")));
    EXPECT_EQ(reading.list.time_to_live(), std::chrono::seconds(5));
}

TEST(McpTools, AListThatIsNoneIsAnError) {
    Reading reading;
    for (const char* result : {"[]", "{}", R"({"tool":[]})", "3"})
        EXPECT_FALSE(reading.add(result));
}

}  // namespace
}  // namespace runnel::tools::mcp
