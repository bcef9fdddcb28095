#include "tools/make_source.hpp"

#include "support/tool_run.hpp"
#include "support/web_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::ToolRun;
using testing::WebServer;
using Kind = ToolOutcome::Kind;

ToolRun tool(const ToolConfig& config) {
    const auto nothing_set = [](const char*) -> const char* { return nullptr; };
    return ToolRun([&](ToolThread* thread) {
        auto made = make_source(config, thread, nothing_set);
        EXPECT_TRUE(made);
        return made ? std::move(*made) : nullptr;
    });
}

ToolRun http_tool(const std::string& method, const std::string& url, ToolLimits limits = {}) {
    ToolConfig config{"t", HttpToolConfig{.url = url, .method = method}};
    config.limits = limits;
    return tool(config);
}

TEST(MakeSource, MakesHttpToolsThatAskTheConfigsHostAlsoOnThisMachine) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "application/json", "{ \"price\" : 1.50 }\n");
    });
    const ToolOutcome get =
        http_tool("GET", server.url("/{symbol}")).run(R"({"symbol":"A B","days":3})");
    EXPECT_EQ(get.kind, Kind::completed);
    EXPECT_EQ(get.text, R"({"price":1.50})");
    EXPECT_EQ(get.result_json, R"({"price":1.50})");
    http_tool("POST", server.url("/")).run(R"({"symbol":"X"})");
    ASSERT_THAT(server.requests(), SizeIs(2));
    EXPECT_THAT(server.requests()[0], StartsWith("GET /A%20B?days=3 HTTP/1.1\r\n"));
    EXPECT_THAT(server.requests()[1], StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_THAT(server.requests()[1], HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(server.requests()[1], EndsWith("\r\n\r\n{\"symbol\":\"X\"}"));
}

TEST(MakeSource, MakesHttpToolsThatTellTheModelOfFailures) {
    const auto answer_to = [](const std::string& bytes) {
        const WebServer server(
            [&](const std::string&, WebServer::Socket& socket) { WebServer::send(socket, bytes); });
        return http_tool("GET", server.url("/")).run("{}");
    };
    const ToolOutcome failed =
        answer_to("HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nno \"luck\"");
    EXPECT_EQ(failed.kind, Kind::failed);
    EXPECT_EQ(failed.text, "the tool failed with status 503: no \"luck\"");
    EXPECT_EQ(failed.result_json, R"("the tool failed with status 503: no \"luck\"")");
    EXPECT_THAT(answer_to("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n").text,
                HasSubstr("a redirect, which is not followed"));
    EXPECT_EQ(answer_to("HTTP/1.1 204 No Content\r\n\r\n").text, "(status 204, and nothing else)");
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{\"a\"").result_json,
              R"("{\"a\"")");
    EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na\xFF!").text, "a\uFFFD!");
}

TEST(MakeSource, LetsAnHttpToolTellWhoAsks) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/plain", "x");
    });
    ToolConfig config{"t", HttpToolConfig{.url = server.url("/"), .method = "GET"}};
    tool(config).run("{}");
    config.hook_key = Secret("a long random key");
    tool(config).run("{}");
    ASSERT_THAT(server.requests(), SizeIs(2));
    EXPECT_THAT(server.requests()[0], Not(HasSubstr("Nonce")));
    EXPECT_THAT(server.requests()[1], HasSubstr("X-Request-Nonce: $2b$05$"));
}

TEST(MakeSource, KeepsHttpToolsToTheirLimits) {
    const WebServer server([](const std::string& request, WebServer::Socket& socket) {
        if (request.starts_with("GET /slow ")) return WebServer::wait_for_end(socket);
        WebServer::send_page(socket, "application/json", "[\"" + std::string(5000, 'x') + "\"]");
    });
    const ToolLimits limits{.time = 100ms, .result_bytes = 1024};
    const ToolOutcome large = http_tool("GET", server.url("/large"), limits).run("{}");
    EXPECT_EQ(large.kind, Kind::completed);
    EXPECT_LE(large.text.size(), 1024u);
    EXPECT_THAT(large.text, EndsWith("\n[cut here: there is more]"));
    EXPECT_THAT(large.result_json, StartsWith("\"[\\\"xxx"));
    const ToolOutcome slow = http_tool("GET", server.url("/slow"), limits).run("{}");
    EXPECT_EQ(slow.text, "there was no answer within 100ms");
}

TEST(MakeSource, MakesBuiltInTools) {
    EXPECT_EQ(tool({"t", BuiltInConfig{"calculator"}}).run(R"({"expression":"6*7"})").result_json,
              "42");
    EXPECT_EQ(tool({"t", BuiltInConfig{"calculator"}}).run("[]").text,
              "the arguments must be a JSON object");
    EXPECT_THAT(tool({"t", BuiltInConfig{"now"}}).run("{}").text, HasSubstr("\"weekday\""));
    const WebServer engine([](const std::string& request, WebServer::Socket& socket) {
        if (!request.starts_with("GET /search?q=a%20b&format=json ")) return;
        WebServer::send_page(socket, "application/json",
                             R"({"results":[{"title":"t","url":"u","content":"c"}]})");
    });
    const BuiltInConfig search{"web_search", {SearchConfig::Provider::searxng, engine.url("")}};
    EXPECT_EQ(tool({"t", search}).run(R"({"query":"a b"})").text,
              R"([{"title":"t","url":"u","snippet":"c"}])");
}

TEST(MakeSource, LetsFetchUrlGoToPrivateAddressesOnlyIfToldTo) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/plain", "inside");
    });
    ToolConfig config{"t", BuiltInConfig{"fetch_url"}};
    const std::string arguments = "{\"url\":\"" + server.url("/") + "\"}";
    EXPECT_THAT(tool(config).run(arguments).text, HasSubstr("private or reserved"));
    config.private_addresses = ToolConfig::PrivateAddresses::allowed;
    EXPECT_THAT(tool(config).run(arguments).text, HasSubstr("inside"));
}

}  // namespace
}  // namespace runnel::tools
