#include "config/sections/tool.hpp"

#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::problem;
using testing::read;
using tools::BuiltInConfig;
using tools::HttpToolConfig;
using tools::McpHttpConfig;
using tools::McpStdioConfig;
using tools::SearchConfig;
using tools::ToolConfig;

// Of an entry that has only this wrong.
std::string tool_problem(const std::string& entry) {
    return problem("tools:\n  t: {" + entry + "}\n");
}
std::string http_problem(const std::string& fields) {
    return problem("tools:\n  t:\n    http: {" + fields + "}\n");
}

template <class Kind>
const Kind& kind_of(const Config& config, std::size_t at) {
    return std::get<Kind>(config.tools.at(at).kind);
}

TEST(ConfigTools, ReadsAnMcpServerBehindAUrl) {
    const Config config = read(R"(
tools:
  chain:
    mcp: http://127.0.0.1:9300/mcp?x=1
    allow: [get_eth_balance]
    headers: {Authorization: "Bearer ${OPENAI_API_KEY}"}
    timeout: 2s
    result_limit: 8KiB
    private_addresses: true
    hook_key: "a long random key"
  plain: {mcp: "https://mcp.example.com"}
)");
    ASSERT_EQ(config.tools.size(), 2u);
    const ToolConfig& chain = config.tools[0];
    EXPECT_EQ(chain.name, "chain");
    EXPECT_THAT(chain.allow, ElementsAre("get_eth_balance"));
    EXPECT_EQ(chain.limits.time, 2s);
    EXPECT_EQ(chain.limits.result_bytes, 8192u);
    EXPECT_EQ(chain.private_addresses, ToolConfig::PrivateAddresses::allowed);
    EXPECT_EQ(chain.hook_key.reveal(), "a long random key");
    const auto& server = kind_of<McpHttpConfig>(config, 0);
    EXPECT_EQ(server.url, "http://127.0.0.1:9300/mcp?x=1");
    EXPECT_THAT(server.headers,
                ElementsAre(Pair("Authorization", Secret("Bearer sk-from-the-environment"))));
    EXPECT_EQ(config.tools[1].limits, tools::ToolLimits());
    EXPECT_EQ(config.tools[1].private_addresses, ToolConfig::PrivateAddresses::refused);
}

TEST(ConfigTools, ReadsAnMcpServerToStart) {
    const Config config = read(R"(
tools:
  files: {mcp: {command: npx, args: [-y, server, "."], env: {KEY: "${PORT}"}, cwd: /srv}}
)");
    const auto& server = kind_of<McpStdioConfig>(config, 0);
    EXPECT_EQ(server.command, "npx");
    EXPECT_THAT(server.args, ElementsAre("-y", "server", "."));
    EXPECT_THAT(server.env, ElementsAre(Pair("KEY", Secret("9000"))));
    EXPECT_EQ(server.folder, "/srv");
    EXPECT_EQ(server.user, "");
    EXPECT_EQ(server.sandbox, tools::SandboxConfig());
    EXPECT_TRUE(server.sandbox.on);
}

TEST(ConfigTools, ReadsWhatAnMcpServerMayTouch) {
    const Config config = read(R"(
tools:
  some: {mcp: {command: x, user: nobody, sandbox: {read: [/srv/docs], write: [/srv/out], network: false}}}
  sockets: {mcp: {command: x, sandbox: {local_sockets: true}}}
  none: {mcp: {command: x, sandbox: off}}
)");
    const auto& some = kind_of<McpStdioConfig>(config, 0);
    EXPECT_EQ(some.user, "nobody");
    EXPECT_THAT(*some.sandbox.read, ElementsAre("/srv/docs"));
    EXPECT_THAT(some.sandbox.write, ElementsAre("/srv/out"));
    EXPECT_FALSE(some.sandbox.network);
    EXPECT_TRUE(kind_of<McpStdioConfig>(config, 1).sandbox.local_sockets);
    EXPECT_FALSE(kind_of<McpStdioConfig>(config, 1).sandbox.read);
    EXPECT_FALSE(kind_of<McpStdioConfig>(config, 2).sandbox.on);
    EXPECT_THAT(problem("tools: {t: {mcp: {command: x, sandbox: of}}}"),
                HasSubstr("tools.t.mcp.sandbox must be on, off or a map"));
    EXPECT_THAT(problem("tools: {t: {mcp: {command: x, sandbox: {reed: [/]}}}}"),
                HasSubstr("did you mean 'read'?"));
}

TEST(ConfigTools, ReadsAToolBehindAUrl) {
    const Config config = read(R"(
tools:
  stock:
    http:
      url: "https://api.example.com/v1/{symbol}?day={day}"
      method: GET
      headers: {X-Key: k}
      description: The price of a share
      parameters:
        properties: {symbol: {type: string}, day: {type: string}}
        required: [symbol]
  note: {http: {url: "http://127.0.0.1:9/note", callback: true}}
)");
    const auto& stock = kind_of<HttpToolConfig>(config, 0);
    EXPECT_EQ(stock.url, "https://api.example.com/v1/{symbol}?day={day}");
    EXPECT_EQ(stock.method, "GET");
    EXPECT_THAT(stock.headers, ElementsAre(Pair("X-Key", Secret("k"))));
    EXPECT_EQ(stock.description, "The price of a share");
    EXPECT_EQ(stock.parameters_json, R"({"type":"object","properties":{"symbol":{"type":"string"},)"
                                     R"("day":{"type":"string"}},"required":["symbol"]})");
    EXPECT_EQ(stock.form, HttpToolConfig::Form::arguments);
    const auto& note = kind_of<HttpToolConfig>(config, 1);
    EXPECT_EQ(note.method, "POST");
    EXPECT_EQ(note.parameters_json, R"({"type":"object","properties":{}})");
    EXPECT_EQ(note.form, HttpToolConfig::Form::callback);
}

TEST(ConfigTools, ReadsBuiltInTools) {
    const Config config = read(R"(
tools:
  clock: {builtin: now}
  search: {builtin: web_search, provider: searxng, url: "http://127.0.0.1:8888"}
  paid: {builtin: web_search, provider: brave, api_key: "${OPENAI_API_KEY}"}
)");
    EXPECT_EQ(kind_of<BuiltInConfig>(config, 0).name, "now");
    const SearchConfig& free = kind_of<BuiltInConfig>(config, 1).search;
    EXPECT_EQ(free.provider, SearchConfig::Provider::searxng);
    EXPECT_EQ(free.url, "http://127.0.0.1:8888");
    const SearchConfig& paid = kind_of<BuiltInConfig>(config, 2).search;
    EXPECT_EQ(paid.provider, SearchConfig::Provider::brave);
    EXPECT_EQ(paid.api_key, Secret("sk-from-the-environment"));
}

TEST(ConfigTools, GivesModelsTheirTools) {
    const Config config = read(R"(
tools: {chain: {mcp: "http://127.0.0.1:9300/mcp"}, now: {builtin: now, timeout: 1s}}
models:
  a: {targets: [demo/tools], tools: [chain, now, calculator], max_tool_rounds: 3}
  b: {targets: [demo/tools], tools: [calculator, fetch_url]}
  c: {targets: [demo/tools]}
)");
    EXPECT_THAT(config.models[0].tools, ElementsAre("chain", "now", "calculator"));
    EXPECT_EQ(config.models[0].max_tool_rounds, 3);
    EXPECT_EQ(config.models[1].max_tool_rounds, 8);
    EXPECT_THAT(config.models[2].tools, IsEmpty());
    std::vector<std::string> names;
    for (const ToolConfig& tool : config.tools) names.push_back(tool.name);
    EXPECT_THAT(names, ElementsAre("chain", "now", "calculator", "fetch_url"));
    EXPECT_EQ(config.tools[1].limits.time, 1s);
    EXPECT_EQ(kind_of<BuiltInConfig>(config, 3).name, "fetch_url");
}

TEST(ConfigTools, ReportsModelsWithToolsThatAreNotThere) {
    const auto model_problem = [](const std::string& fields) {
        return problem(
            "tools: {chain: {mcp: 'http://h/mcp'}}\nmodels:\n  m: {targets: [demo/tools], " +
            fields + "}\n");
    };
    EXPECT_EQ(model_problem("tools: [chian]"),
              "3:38: models.m.tools[0]: no tool is named 'chian'; it is an entry under tools, or "
              "now, calculator or fetch_url; did you mean 'chain'?");
    EXPECT_THAT(model_problem("tools: [web_search]"), HasSubstr("must be told whom to ask"));
    EXPECT_THAT(model_problem("tools: [now, now]"), HasSubstr("'now' is in this list already"));
    EXPECT_THAT(model_problem("max_tool_rounds: 0"), HasSubstr("a whole number from 1 to 64"));
    EXPECT_THAT(model_problem("tools: chain"), HasSubstr("models.m.tools must be a list"));
}

TEST(ConfigTools, ReportsABrokenToolOnceAndNotTheModelToo) {
    EXPECT_THAT(problem("tools: {t: {mcp: nowhere}}\nmodels: {m: {targets: [demo/tools], tools: "
                        "[t]}}\n"),
                HasSubstr("tools.t.mcp must be a URL"));
}

TEST(ConfigTools, ReportsEntriesThatAreNoneOrTwo) {
    EXPECT_EQ(tool_problem(""),
              "2:3: tools.t: this says nothing of what it is: an MCP server (mcp), one tool behind "
              "a URL (http) or a built-in tool (builtin)");
    EXPECT_EQ(tool_problem("mcp: 'http://h/mcp', http: {url: 'http://h/'}"),
              "2:34: tools.t.http: an entry is one of mcp, http and builtin; make two of it");
    EXPECT_THAT(tool_problem("htpp: {url: 'http://h/'}, builtin: now"),
                HasSubstr("unknown key 'htpp' in tools.t; did you mean 'http'?"));
    EXPECT_THAT(problem("tools: {'a b': {builtin: now}}"),
                HasSubstr("a tool's name has up to 64 letters"));
}

TEST(ConfigTools, ReportsKeysWhereTheyMeanNothing) {
    EXPECT_THAT(tool_problem("builtin: now, allow: [x]"),
                HasSubstr("only an MCP server has several"));
    EXPECT_THAT(tool_problem("builtin: now, url: 'http://h/'"),
                HasSubstr("only web_search has this"));
    EXPECT_THAT(tool_problem("mcp: 'http://h/', provider: brave"),
                HasSubstr("only web_search has this"));
    EXPECT_THAT(tool_problem("mcp: {command: x}, headers: {A: b}"),
                HasSubstr("only an MCP server with a URL is sent headers"));
    EXPECT_THAT(tool_problem("http: {url: 'http://h/'}, headers: {A: b}"),
                HasSubstr("write this under http"));
}

TEST(ConfigTools, ReportsWhatAServerOrASearchLacks) {
    EXPECT_THAT(tool_problem("mcp: {args: [x]}"), HasSubstr("command is missing"));
    EXPECT_THAT(tool_problem("mcp: {command: x, env: {'A=B': c}}"),
                HasSubstr("not the name of an environment variable"));
    EXPECT_THAT(tool_problem("mcp: 'ftp://h/'"), HasSubstr("must be a URL"));
    EXPECT_THAT(tool_problem("builtin: nwo"), HasSubstr("did you mean 'now'?"));
    EXPECT_THAT(tool_problem("builtin: web_search"), HasSubstr("provider is missing"));
    EXPECT_THAT(tool_problem("builtin: web_search, provider: searxng"),
                HasSubstr("url is missing"));
    EXPECT_THAT(tool_problem("builtin: web_search, provider: tavily"),
                HasSubstr("api_key is missing; tavily needs one"));
    EXPECT_THAT(tool_problem("builtin: web_search, provider: brvae, api_key: k"),
                HasSubstr("did you mean 'brave'?"));
    EXPECT_THAT(tool_problem("builtin: now, hook_key: k"), HasSubstr("asks nobody"));
    EXPECT_THAT(tool_problem("mcp: 'http://h/', hook_key: ''"), HasSubstr("1 to 72 bytes"));
    EXPECT_THAT(tool_problem("builtin: now, timeout: 0s"), HasSubstr("tools.t.timeout must be"));
}

TEST(ConfigTools, ReportsWhatIsWrongWithAToolBehindAUrl) {
    EXPECT_THAT(http_problem("method: GET"), HasSubstr("url is missing"));
    EXPECT_THAT(http_problem("url: nowhere"), HasSubstr("tools.t.http.url must be a URL"));
    EXPECT_THAT(http_problem("url: 'http://{host}/'"),
                HasSubstr("the host cannot be a placeholder"));
    EXPECT_THAT(http_problem("url: 'http://h/{a'"), HasSubstr("a placeholder is {name}"));
    EXPECT_THAT(http_problem("url: 'http://h/', method: get"), HasSubstr("did you mean 'GET'?"));
    EXPECT_EQ(http_problem("url: 'http://h/{smybol}', parameters: {properties: {symbol: {}}}"),
              "3:17: tools.t.http.url: {smybol} is not among the parameters' properties; did you "
              "mean 'symbol'?");
    EXPECT_THAT(http_problem("url: 'http://h/', parameters: [a]"),
                HasSubstr("must be a JSON Schema of an object"));
    EXPECT_THAT(http_problem("url: 'http://h/', parameters: {type: string}"),
                HasSubstr("write type: object"));
    EXPECT_THAT(http_problem("url: 'http://h/', parameters: {properties: [a]}"),
                HasSubstr("a map from each argument's name"));
    EXPECT_THAT(http_problem("url: 'http://h/', callback: true, method: GET"),
                HasSubstr("a callback is always a POST"));
    EXPECT_THAT(http_problem("url: 'http://h/', headers: {Host: x}"),
                HasSubstr("cannot be chosen"));
}

}  // namespace
}  // namespace runnel::config
