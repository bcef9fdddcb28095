#include "tools/mcp/message.hpp"

#include <gtest/gtest.h>

namespace runnel::tools::mcp {
namespace {

Result<Message> read(std::string text) {
    json::Parser parser;
    return read_message(&parser, Padded::of(text));
}

TEST(McpMessage, TellsTheFourKindsApart) {
    auto result = read(R"({"jsonrpc":"2.0","id":3,"result":{"tools":[]}})");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->kind, Message::Kind::result);
    EXPECT_EQ(result->id, 3);
    EXPECT_EQ(result->body_json, R"({"tools":[]})");

    auto error = read(R"({"error":{"code":-32601,"message":"no \"x\"","data":[1]},"id":4})");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, Message::Kind::error);
    EXPECT_EQ(error->id, 4);
    EXPECT_EQ(error->code, -32601);
    EXPECT_EQ(error->text, "no \"x\"");
    EXPECT_EQ(error->data_json, "[1]");

    auto request = read(R"({"id":"a-1","method":"ping","jsonrpc":"2.0"})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->kind, Message::Kind::request);
    EXPECT_EQ(request->id_json, R"("a-1")");
    EXPECT_EQ(request->method, "ping");

    auto notification = read(R"({"method":"notifications/progress","params":{"progress":1}})");
    ASSERT_TRUE(notification);
    EXPECT_EQ(notification->kind, Message::Kind::notification);
    EXPECT_EQ(notification->body_json, R"({"progress":1})");
}

TEST(McpMessage, AnErrorMayNameNoRequest) {
    for (const char* text : {R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}})",
                             R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600}})"}) {
        auto error = read(text);
        ASSERT_TRUE(error) << text;
        EXPECT_EQ(error->kind, Message::Kind::error);
        EXPECT_EQ(error->id, 0);
        EXPECT_EQ(error->code, -32600);
    }
}

TEST(McpMessage, AResultThatNamesNoRequestIsNobodys) {
    for (const char* text : {R"({"result":{}})", R"({"id":null,"result":{}})",
                             R"({"id":"abc","result":{}})", R"({"id":{},"result":{}})"}) {
        auto result = read(text);
        ASSERT_TRUE(result) << text;
        EXPECT_EQ(result->kind, Message::Kind::result);
        EXPECT_EQ(result->id, 0);
    }
}

TEST(McpMessage, ANullErrorBesideAResultIsNoError) {
    auto result = read(R"({"id":1,"error":null,"result":{}})");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->kind, Message::Kind::result);
}

TEST(McpMessage, RefusesWhatIsNotAMessage) {
    for (const char* text :
         {"", "hello", "[]", "null", R"({"jsonrpc":"2.0"})", R"({"id":1})",
          R"({"id":1,"result":{"a":}})", R"({"id":1,"result":{"a":tru}})",
          R"({"id":1,"result":"\x"})", R"({"id":1,"result":{}} and more)", R"({"id":1,"result":{)"})
        EXPECT_FALSE(read(text)) << text;
}

TEST(McpMessage, RefusesNestingBeyondAllReason) {
    const std::string deep = std::string(5000, '[') + std::string(5000, ']');
    EXPECT_FALSE(read(R"({"id":1,"result":)" + deep + "}"));
}

TEST(McpMessage, ReadsTextThatIsNotUtf8) {
    auto result = read("{\"id\":1,\"result\":{\"text\":\"\xff\"}}");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->body_json, R"({"text":"\udcff"})");
}

TEST(McpMessage, WritesOneLine) {
    EXPECT_EQ(write_request(7, "tools/list", "{}"),
              R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}})");
    EXPECT_EQ(write_notification("notifications/initialized", "{}"),
              R"({"jsonrpc":"2.0","method":"notifications/initialized","params":{}})");
    EXPECT_EQ(write_result("\"a\"", "{}"), R"({"jsonrpc":"2.0","id":"a","result":{}})");
    EXPECT_EQ(write_error("2", -32601, "no"),
              R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}})");
}

}  // namespace
}  // namespace runnel::tools::mcp
