#include "api/chat/tools.hpp"

#include "api/chat/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::api {
namespace {

Result<chat::Request> read_with(std::string_view fields) {
    json::Parser parser;
    return read_chat_request(
        fmt::format(R"({{"messages":[{{"role":"user","content":"Hi"}}],{}}})", fields), &parser);
}

TEST(OpenAiTools, ReadsWhichServersToolsAreWanted) {
    const auto none = read_with(R"("model":"m")");
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->gateway.builtin_tools.empty());
    EXPECT_EQ(none->gateway.tool_invocation_explanations, chat::Wish::unsaid);
    const auto some = read_with(R"("builtin_tools":{"tools":["now","gas"],"options":{"x":1}},)"
                                R"("tool_invocation_explanations":true)");
    ASSERT_TRUE(some);
    EXPECT_EQ(some->gateway.builtin_tools, (std::vector<std::string>{"now", "gas"}));
    EXPECT_EQ(some->gateway.tool_invocation_explanations, chat::Wish::yes);
}

TEST(OpenAiTools, SaysWhatIsWrongWithThem) {
    const auto place_of = [](std::string_view fields) {
        const auto read = read_with(fields);
        EXPECT_FALSE(read);
        if (read) return std::string();
        EXPECT_EQ(read.error().kind, ErrorKind::invalid_value);
        return read.error().param;
    };
    EXPECT_EQ(place_of(R"("builtin_tools":["now"])"), "builtin_tools");
    EXPECT_EQ(place_of(R"("builtin_tools":{"tools":"now"})"), "builtin_tools.tools");
    EXPECT_EQ(place_of(R"("builtin_tools":{"tools":["now",1]})"), "builtin_tools.tools[1]");
    EXPECT_EQ(place_of(R"("builtin_tools":{"options":1})"), "builtin_tools.options");
    EXPECT_EQ(place_of(R"("tool_invocation_explanations":"yes")"), "tool_invocation_explanations");
}

}  // namespace
}  // namespace runnel::api
