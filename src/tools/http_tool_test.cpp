#include "tools/http_tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::Contains;
using ::testing::FieldsAre;
using ::testing::HasSubstr;

Result<http::ClientRequest> request_of(std::string method, std::string url, std::string arguments) {
    HttpToolConfig config{.url = std::move(url), .method = std::move(method)};
    return write_tool_request(config, *Arguments::read(std::move(arguments)));
}

std::string url_of(std::string method, std::string url, std::string arguments) {
    const auto request = request_of(std::move(method), std::move(url), std::move(arguments));
    return request ? request->url.text() : request.error().message;
}

TEST(HttpTool, FillsPlaceholdersIn) {
    EXPECT_EQ(url_of("GET", "http://h/{a}/x?b={b}", R"({"a":"BRK/B ü?","b":12})"),
              "http://h/BRK%2FB%20%C3%BC%3F/x?b=12");
    EXPECT_EQ(url_of("GET", "http://h/{a}", R"({"a":"x\"}\n"})"), "http://h/x%22%7D%0A");
    EXPECT_EQ(url_of("GET", "http://h/{a}", "{}"), "the argument 'a' is missing");
    EXPECT_EQ(url_of("GET", "http://h/{a}", R"({"a":null})"), "the argument 'a' is missing");
    EXPECT_EQ(url_of("GET", "http://h/{a}", R"({"a":""})"), "the argument 'a' is missing");
}

TEST(HttpTool, LetsNoArgumentChooseAnotherPath) {
    EXPECT_EQ(url_of("GET", "http://h/v1/{a}/x", R"({"a":".."})"),
              "the argument 'a' cannot be '..'");
    EXPECT_EQ(url_of("GET", "http://h/v1/{a}", R"({"a":"../admin"})"), "http://h/v1/..%2Fadmin");
    EXPECT_EQ(url_of("GET", "http://h/v1/{a}", R"({"a":"x#y?z&w"})"), "http://h/v1/x%23y%3Fz%26w");
}

TEST(HttpTool, PutsTheRestIntoTheQuery) {
    EXPECT_EQ(url_of("GET", "http://h/{a}",
                     R"({"a":1,"q":"x y","n":1.50,"t":true,"z":null,"l":["p","q"],"o":{"k":1}})"),
              "http://h/1?q=x%20y&n=1.50&t=true&l=p&l=q&o=%7B%22k%22%3A1%7D");
    EXPECT_EQ(url_of("DELETE", "http://h/x?key=k", R"({"a&b":"c=d"})"),
              "http://h/x?key=k&a%26b=c%3Dd");
}

TEST(HttpTool, PutsTheRestIntoABody) {
    const auto request = request_of("POST", "http://h/{a}", R"({"a":"x","b":[1,2],"c":1.50})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->url.text(), "http://h/x");
    EXPECT_EQ(request->body, R"({"b":[1,2],"c":1.50})");
    EXPECT_THAT(request->headers, Contains(FieldsAre("Content-Type", "application/json")));
    EXPECT_EQ(request_of("PUT", "http://h/", "")->body, "{}");
}

TEST(HttpTool, SendsTheConfigsHeaders) {
    HttpToolConfig config{.url = "http://h/"};
    config.headers.emplace_back("content-type", "application/x-mine");
    config.headers.emplace_back("X-Key", "k");
    const auto request = write_tool_request(config, *Arguments::read("{}"));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->headers.size(), 2u);
    EXPECT_THAT(request->headers, Contains(FieldsAre("X-Key", "k")));
}

TEST(HttpTool, WritesACallback) {
    HttpToolConfig config{.url = "http://h/hook"};
    ToolCall call{"stock", R"({"symbol":"X"})", "call_1", "ann", R"({"team":"blue"})"};
    const auto request =
        write_callback(config, *Arguments::read(call.arguments_json), call, "2026-01-01T00:00:00Z");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->method, "POST");
    EXPECT_EQ(request->body,
              R"({"type":"tool_call","function":{"name":"stock","content":{"symbol":"X"}},)"
              R"("context":{"externalUserId":"ann","metadata":{"team":"blue"},)"
              R"("callSource":"inference","conversationToken":null,)"
              R"("moment":"2026-01-01T00:00:00Z"}})");
}

TEST(Arguments, MustBeAnObject) {
    EXPECT_TRUE(Arguments::read(""));
    EXPECT_TRUE(Arguments::read(" {} "));
    for (const char* json : {"null", "[]", "1", "{", "{}{}", "{\"a\":}"})
        EXPECT_FALSE(Arguments::read(json)) << json;
    const auto arguments = Arguments::read(R"({"a\"b":"x\n","n":"5","f":5.0,"s":"","o":{}})");
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->optional_text("a\"b"), "x\n");
    EXPECT_EQ(arguments->optional_integer("n"), 5);
    EXPECT_EQ(arguments->optional_integer("f"), 5);
    EXPECT_EQ(arguments->optional_integer("o"), std::nullopt);
    EXPECT_THAT(arguments->text("s").error().message, HasSubstr("'s' is missing"));
    EXPECT_FALSE(arguments->text("o"));
}

}  // namespace
}  // namespace runnel::tools
