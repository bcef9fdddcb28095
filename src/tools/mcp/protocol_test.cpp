#include "tools/mcp/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Server {
    json::Parser parser;
    Protocol protocol{&parser};

    Answer answer(std::string json, int status = 200) {
        auto message = read_message(&parser, Padded::of(json));
        EXPECT_TRUE(message) << json;
        return {std::move(*message), status};
    }
    void be_modern() {
        protocol.take_discovery(answer(
            R"({"id":1,"result":{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28"],
                "capabilities":{"tools":{"listChanged":true}}}})"));
    }
    Result<void> be_legacy(const std::string& version = "2025-06-18") {
        return protocol.take_initialization(
            answer(R"({"id":1,"result":{"protocolVersion":")" + version +
                   R"(","capabilities":{"tools":{}},"serverInfo":{"name":"x"}}})"));
    }
};

Tool tool(std::string name) { return {{"x", "", "{}"}, std::move(name), {}}; }

ToolCall call(std::string arguments) { return {"x", std::move(arguments), "call_1", "", ""}; }

TEST(McpProtocol, AsksForTheEraInTheModernWay) {
    Server server;
    const Outgoing out = server.protocol.discover();
    EXPECT_EQ(out.id, 1);
    EXPECT_EQ(out.json,
              R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{)"
              R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientInfo":{"name":"runnel","version":")" RUNNEL_VERSION
              R"("},"io.modelcontextprotocol/clientCapabilities":{}}}})");
    EXPECT_THAT(out.headers, ElementsAre(HeaderField{"MCP-Protocol-Version", "2026-07-28"},
                                         HeaderField{"Mcp-Method", "server/discover"}));
    EXPECT_EQ(server.protocol.era(), Era::unknown);
}

TEST(McpProtocol, AModernServerNeedsNoHandshake) {
    Server server;
    server.be_modern();
    EXPECT_EQ(server.protocol.era(), Era::modern);
    EXPECT_TRUE(server.protocol.tells_changes());
    const Outgoing list = server.protocol.list_tools("a\"b");
    EXPECT_THAT(list.json, HasSubstr(R"("params":{"cursor":"a\"b","_meta":{"io.model)"));
    EXPECT_THAT(list.headers, ElementsAre(HeaderField{"MCP-Protocol-Version", "2026-07-28"},
                                          HeaderField{"Mcp-Method", "tools/list"}));
}

TEST(McpProtocol, KnowsModernServersByHowTheyRefuse) {
    const struct {
        const char* json;
        int status;
        Era era;
    } cases[] = {
        {R"({"id":1,"error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}})",
         400, Era::modern},
        {R"({"id":1,"error":{"code":-32022,"message":"","data":{"supported":["2025-06-18"]}}})",
         400, Era::legacy},
        {R"({"id":1,"error":{"code":-32020,"message":"header"}})", 400, Era::modern},
        {R"({"id":1,"error":{"code":-32601,"message":"no method"}})", 404, Era::modern},
        {R"({"id":1,"error":{"code":-32601,"message":"no method"}})", 200, Era::unknown},
        {R"({"error":{"code":-32000,"message":"No valid session ID"}})", 400, Era::unknown},
        {R"({"id":1,"error":{"code":-32602,"message":"before initialization"}})", 200,
         Era::unknown},
        {R"({"id":1,"result":{"supportedVersions":["2025-11-25"]}})", 200, Era::legacy},
        {R"({"id":1,"result":{}})", 200, Era::modern},
    };
    for (const auto& [json, status, era] : cases) {
        Server server;
        server.protocol.take_discovery(server.answer(json, status));
        EXPECT_EQ(server.protocol.era(), era) << json << status;
    }
}

TEST(McpProtocol, ALegacyServerIsGreetedWithAHandshake) {
    Server server;
    EXPECT_THAT(server.protocol.initialize().json,
                HasSubstr(R"("method":"initialize","params":{"protocolVersion":"2025-06-18",)"
                          R"("capabilities":{},"clientInfo":{"name":"runnel")"));
    EXPECT_THAT(server.protocol.initialize().headers, IsEmpty());
    ASSERT_TRUE(server.be_legacy("2025-03-26"));
    EXPECT_EQ(server.protocol.era(), Era::legacy);
    EXPECT_FALSE(server.protocol.tells_changes());
    EXPECT_EQ(server.protocol.initialized().json,
              R"({"jsonrpc":"2.0","method":"notifications/initialized","params":{}})");
    const Outgoing list = server.protocol.list_tools("");
    EXPECT_THAT(list.json, HasSubstr(R"("method":"tools/list","params":{}})"));
    EXPECT_THAT(list.headers, ElementsAre(HeaderField{"MCP-Protocol-Version", "2025-03-26"}));
}

TEST(McpProtocol, RefusesVersionsItDoesNotKnow) {
    for (const char* version : {"1999-01-01", "2026-07-28", ""}) {
        Server server;
        auto greeted = server.be_legacy(version);
        ASSERT_FALSE(greeted) << version;
        EXPECT_THAT(greeted.error().message, HasSubstr(version));
    }
}

TEST(McpProtocol, AServerOfUnknownEraThatRefusesTheHandshakeIsTakenForModern) {
    Server server;
    const char* refusal = R"({"id":1,"error":{"code":-32601,"message":"no such method"}})";
    server.protocol.take_discovery(server.answer(refusal));
    EXPECT_TRUE(server.protocol.take_initialization(server.answer(refusal)));
    EXPECT_EQ(server.protocol.era(), Era::modern);
}

TEST(McpProtocol, AKnownLegacyServerThatRefusesTheHandshakeIsAskedAnewNextTime) {
    Server server;
    ASSERT_TRUE(server.be_legacy());
    auto again = server.protocol.take_initialization(
        server.answer(R"({"id":2,"error":{"code":-32600,"message":"not today"}})"));
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("not today"));
    EXPECT_EQ(server.protocol.era(), Era::unknown);
}

TEST(McpProtocol, CallsAToolOnOneLineWithATokenForProgress) {
    Server server;
    ASSERT_TRUE(server.be_legacy());
    const Outgoing out = server.protocol.call_tool(tool("a.b"), call("{\n  \"x\": 1\n}"));
    EXPECT_EQ(out.json, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.b",)"
                        R"("arguments":{"x":1},"_meta":{"progressToken":1}}})");
    ToolCall rich = call("{}");
    rich.user = "u\"1";
    rich.metadata_json = "{\"k\": \"v\"}";
    EXPECT_THAT(server.protocol.call_tool(tool("a"), rich).json,
                HasSubstr(R"("_meta":{"progressToken":2,"user":"u\"1","metadata":{"k":"v"}}}})"));
    ToolCall traced = call("{}");
    traced.traceparent = "00-1-2-01";
    EXPECT_THAT(server.protocol.call_tool(tool("a"), traced).json,
                HasSubstr(R"("_meta":{"progressToken":3,"traceparent":"00-1-2-01"}}})"));
    EXPECT_THAT(server.protocol.call_tool(tool("a"), call("{}"), "$2b$x").json,
                HasSubstr(R"("_meta":{"progressToken":4,"_aiv_nonce":"$2b$x"}}})"));
}

TEST(McpProtocol, AModernCallRepeatsNameAndMarkedParametersInTheHeader) {
    Server server;
    server.be_modern();
    Tool marked = tool("größe");
    marked.headers = {{{"region"}, "Mcp-Param-Region"}};
    const Outgoing out = server.protocol.call_tool(marked, call(R"({"region":"eu","query":"q"})"));
    EXPECT_THAT(out.json, HasSubstr(R"(/clientCapabilities":{},"progressToken":1}}})"));
    EXPECT_THAT(out.headers, ElementsAre(HeaderField{"MCP-Protocol-Version", "2026-07-28"},
                                         HeaderField{"Mcp-Method", "tools/call"},
                                         HeaderField{"Mcp-Name", "=?base64?Z3LDtsOfZQ==?="},
                                         HeaderField{"Mcp-Param-Region", "eu"}));
}

TEST(McpProtocol, AnswersAPingAndRefusesTheRestPolitely) {
    Server server;
    const auto reply_to = [&](std::string json) {
        return server.protocol.answer_to(server.answer(std::move(json)).message).json;
    };
    EXPECT_EQ(reply_to(R"({"id":"p1","method":"ping"})"),
              R"({"jsonrpc":"2.0","id":"p1","result":{}})");
    EXPECT_EQ(reply_to(R"({"id":9,"method":"roots/list"})"),
              R"({"jsonrpc":"2.0","id":9,"result":{"roots":[]}})");
    EXPECT_THAT(reply_to(R"({"id":3,"method":"sampling/createMessage","params":{}})"),
                HasSubstr(R"("id":3,"error":{"code":-32601,)"));
}

TEST(McpProtocol, TellsThatNobodyWaitsAnyMore) {
    Server server;
    EXPECT_EQ(server.protocol.cancelled(7, "time is over").json,
              R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,)"
              R"("reason":"time is over"}})");
}

TEST(McpProtocol, AsksToBeToldOfChanges) {
    Server server;
    server.be_modern();
    EXPECT_THAT(server.protocol.listen().json,
                HasSubstr(R"("method":"subscriptions/listen","params":{"notifications":)"
                          R"({"toolsListChanged":true},"_meta":{)"));
}

TEST(McpProtocol, NoTwoRequestsHaveTheSameId) {
    Server server;
    EXPECT_EQ(server.protocol.discover().id, 1);
    EXPECT_EQ(server.protocol.initialize().id, 2);
    EXPECT_EQ(server.protocol.list_tools("").id, 3);
    EXPECT_EQ(server.protocol.call_tool(tool("a"), call("{}")).id, 4);
    EXPECT_EQ(server.protocol.cancelled(4, "").id, 0);
}

}  // namespace
}  // namespace runnel::tools::mcp
