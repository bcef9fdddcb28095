#include "tools/mcp/source.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <exception>
#include <map>

namespace runnel::tools::mcp {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* one_tool = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";

// A server in a script: what it answers to each method, in turn; the last answer stays.
class ScriptedTransport final : public Transport {
public:
    using Reply = std::function<Result<Answer>(const Outgoing&)>;

    awaitable<Result<void>> open(Inbox* inbox, http::Stop*) override {
        inbox_ = inbox;
        co_return opening;
    }
    std::uint64_t life() const override { return life_; }
    awaitable<Result<Answer>> ask(Outgoing request, http::Stop*) override {
        methods.push_back(request.method);
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        auto& replies = script_[request.method];
        if (replies.empty()) co_return error(-32601, "Method not found");
        Reply reply = replies.front();
        if (replies.size() > 1) replies.pop_front();
        co_return reply(request);
    }
    awaitable<Result<void>> tell(Outgoing notification, http::Stop*) override {
        methods.push_back(notification.method);
        co_return Result<void>{};
    }
    void give_up(Outgoing, Era) override { methods.push_back("give up"); }
    void listen(Outgoing, Era) override { methods.push_back("listen"); }
    void close() override {}
    std::string place() const override { return "in a test"; }

    void on(std::string method, Reply reply) { script_[method].push_back(std::move(reply)); }
    void on(std::string method, std::string result_json) {
        on(std::move(method), [result_json](const Outgoing&) { return result(result_json); });
    }
    void be_legacy() {
        on("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})");
    }
    void be_modern() { on("server/discover", R"({"supportedVersions":["2026-07-28"]})"); }
    void lose_session() { ++life_; }
    void notify(std::string method) { inbox_->on_notification(Message{.method = method}); }

    static Result<Answer> result(std::string json) {
        return Answer{Message{.kind = Message::Kind::result, .body_json = std::move(json)}};
    }
    static Result<Answer> error(std::int64_t code, std::string text, int status = 200) {
        return Answer{Message{.kind = Message::Kind::error, .code = code, .text = std::move(text)},
                      status};
    }

    std::vector<std::string> methods;
    Result<void> opening;

private:
    std::map<std::string, std::deque<Reply>> script_;
    Inbox* inbox_ = nullptr;
    std::uint64_t life_ = 1;
};

class McpSourceTest : public testing::Test {
protected:
    template <class T>
    T wait(awaitable<T> work) {
        std::optional<T> out;
        asio::co_spawn(loop_, std::move(work), [&](std::exception_ptr failure, T value) {
            EXPECT_FALSE(failure);
            out = std::move(value);
        });
        loop_.restart();
        loop_.run();
        return std::move(*out);
    }
    Result<std::vector<ToolSpec>> list() { return wait(source_->list(&stop_)); }
    ToolOutcome call(std::string name, std::string arguments = "{}") {
        return wait(source_->run({std::move(name), std::move(arguments), "c", "", ""}, &stop_));
    }

    asio::io_context loop_;
    http::Stop stop_;
    std::shared_ptr<ScriptedTransport> server_ = std::make_shared<ScriptedTransport>();
    std::unique_ptr<ToolSource> source_ = std::make_unique<Source>(
        SourceConfig{"chain", {}, {}}, server_, asio::any_io_executor(loop_.get_executor()));
};

TEST_F(McpSourceTest, GreetsALegacyServerOnceAndRemembersItsTools) {
    server_->be_legacy();
    server_->on("tools/list", one_tool);
    ASSERT_TRUE(list());
    ASSERT_TRUE(list());
    EXPECT_THAT(server_->methods, ElementsAre("server/discover", "initialize",
                                              "notifications/initialized", "tools/list"));
}

TEST_F(McpSourceTest, AsksAModernServerWithoutAHandshake) {
    server_->be_modern();
    server_->on("tools/list", one_tool);
    ASSERT_TRUE(list());
    EXPECT_THAT(server_->methods, ElementsAre("server/discover", "tools/list"));
}

TEST_F(McpSourceTest, ListsAnewWhenTheServerSaysThatToolsChanged) {
    server_->be_modern();
    server_->on("tools/list", one_tool);
    server_->on("tools/list", R"({"tools":[]})");
    EXPECT_EQ(list()->size(), 1u);
    server_->notify("notifications/progress");
    EXPECT_EQ(list()->size(), 1u);
    server_->notify("notifications/tools/list_changed");
    EXPECT_EQ(list()->size(), 0u);
}

TEST_F(McpSourceTest, AListThatChangedWhileItWasReadIsNotRemembered) {
    server_->be_modern();
    server_->on("tools/list", [this](const Outgoing&) {
        server_->notify("notifications/tools/list_changed");
        return ScriptedTransport::result(one_tool);
    });
    server_->on("tools/list", R"({"tools":[]})");
    EXPECT_EQ(list()->size(), 1u);
    EXPECT_EQ(list()->size(), 0u);
}

TEST_F(McpSourceTest, BeginsALostSessionAgainOnceAndOnlyOnce) {
    server_->be_legacy();
    server_->on("tools/list", one_tool);
    ASSERT_TRUE(list());
    server_->methods.clear();
    server_->on("tools/call", [this](const Outgoing&) {
        server_->lose_session();
        return ScriptedTransport::error(-32000, "no such session", 404);
    });
    EXPECT_EQ(call("t").kind, ToolOutcome::Kind::failed);
    EXPECT_THAT(server_->methods,
                ElementsAre("tools/call", "initialize", "notifications/initialized", "tools/call"));
}

TEST_F(McpSourceTest, SaysWhyItCantBeAskedAndDoesNotAskAgainAtOnce) {
    server_->opening = fail(ErrorKind::upstream_unreachable, "can't be started: no such file");
    const std::string message = "tools.chain: the MCP server in a test can't be started: "
                                "no such file";
    auto first = list();
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().message, message);
    server_->opening = {};
    auto second = list();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message, message);
    EXPECT_THAT(server_->methods, IsEmpty());
}

TEST_F(McpSourceTest, TellsTheModelInShortWordsWhatWentWrong) {
    server_->be_modern();
    server_->on("tools/list", one_tool);
    server_->on("tools/call", [](const Outgoing&) {
        return Result<Answer>(fail(ErrorKind::upstream_truncated, "at http://secret broke off"));
    });
    server_->on("tools/call",
                [](const Outgoing&) { return ScriptedTransport::error(-32602, "Unknown tool"); });
    server_->on("tools/call", [](const Outgoing&) { return ScriptedTransport::error(0, "", 401); });
    EXPECT_EQ(call("t").text, "the tool's server broke off");
    EXPECT_EQ(call("t").text, "the tool failed: Unknown tool");
    EXPECT_EQ(call("t").text, "the tool's server refuses to work");
    EXPECT_EQ(call("nope").text, "there is no tool named 'nope'");
    EXPECT_EQ(call("t", "[]").text, "the arguments are not a JSON object");
}

TEST_F(McpSourceTest, AStoppedCallIsGivenUp) {
    server_->be_modern();
    server_->on("tools/list", one_tool);
    ASSERT_TRUE(list());
    server_->on("tools/call", [this](const Outgoing&) {
        stop_.request(http::Stop::Reason::client_gone);
        return Result<Answer>(fail(ErrorKind::upstream_timeout, "was not waited for"));
    });
    EXPECT_EQ(call("t").text, "stopped");
    EXPECT_EQ(server_->methods.back(), "give up");
}

TEST_F(McpSourceTest, ListensWhereTheServerTellsOfChanges) {
    server_->on("server/discover", R"({"capabilities":{"tools":{"listChanged":true}}})");
    server_->on("tools/list", one_tool);
    ASSERT_TRUE(list());
    EXPECT_THAT(server_->methods, ElementsAre("server/discover", "listen", "tools/list"));
}

}  // namespace
}  // namespace runnel::tools::mcp
