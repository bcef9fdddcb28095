#include "provider/core/tool_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::StartsWith;

TEST(ToolNames, LeavesANameThatIsAllowed) {
    const ToolNames names{ToolNameRule{}};
    EXPECT_EQ(names.sent("get_weather-2"), "get_weather-2");
    EXPECT_EQ(names.sent(std::string(64, 'a')), std::string(64, 'a'));
    EXPECT_EQ(ToolNames{any_tool_name}.sent("a.b/" + std::string(200, 'c')),
              "a.b/" + std::string(200, 'c'));
}

TEST(ToolNames, GivesAnyOtherNameAStandInThatIsAllowed) {
    const ToolNameRule rules[] = {
        {}, {.bytes_max = 32, .marks = "_-.:"}, {.first = ToolNameRule::First::letter}};
    const std::string long_name(200, 'n');
    for (const ToolNameRule& rule : rules) {
        const ToolNames names(rule);
        for (const std::string_view name :
             {std::string_view(long_name), std::string_view("files/read.all"),
              std::string_view("1st"), std::string_view("a\xc3\xa4"), std::string_view(".")})
            EXPECT_TRUE(rule.allows(names.sent(name))) << name << " as " << names.sent(name);
    }
}

TEST(ToolNames, TellsStandInsApart) {
    const ToolNames names{ToolNameRule{}};
    EXPECT_NE(names.sent("files.read"), names.sent("files/read"));
    EXPECT_NE(names.sent(std::string(70, 'a')), names.sent(std::string(71, 'a')));
    EXPECT_THAT(names.sent("files.read"), StartsWith("files_read_"));
    EXPECT_EQ(names.sent("files.read"), ToolNames{ToolNameRule{}}.sent("files.read"));
}

TEST(ToolNames, ListsThoseThatAreRenamed) {
    const ToolNames names{ToolNameRule{}};
    std::vector<chat::Tool> tools(3);
    tools[0].name = "plain";
    tools[1].name = "with.dot";
    tools[2].name = "web.search";
    tools[2].kind = chat::Tool::Kind::provider;
    EXPECT_THAT(names.renamed(tools), ElementsAre(Field(&RenamedTool::name, "with.dot")));
}

}  // namespace
}  // namespace runnel::provider
