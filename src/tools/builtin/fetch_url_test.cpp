#include "tools/builtin/fetch_url.hpp"

#include "support/tool_run.hpp"
#include "support/web_server.hpp"
#include "tools/address_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace runnel::tools {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::ToolRun;
using testing::WebServer;
using Kind = ToolOutcome::Kind;

ToolRun fetcher(FetchUrl::MayConnectTo may_connect_to, ToolLimits limits = {}) {
    return ToolRun([=](ToolThread* thread) {
        return std::make_unique<FetchUrl>(limits, may_connect_to, &thread->client());
    });
}

std::string arguments(const std::string& url) { return "{\"url\":\"" + url + "\"}"; }

std::string redirect_to(const std::string& url) {
    return "HTTP/1.1 302 Found\r\nLocation: " + url + "\r\nContent-Length: 0\r\n\r\n";
}

// Serves the same bytes to everybody.
WebServer::Answer always(std::string bytes) {
    return [bytes = std::move(bytes)](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, bytes);
    };
}

TEST(FetchUrl, ReturnsThePagesText) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/html; charset=utf-8",
                             "<title>T</title><p>Hello<script>no</script> <b>you</b></p>");
    });
    const std::string url = server.url("/a b");
    const ToolOutcome outcome = fetcher(nullptr).run(arguments(url));
    EXPECT_EQ(outcome.kind, Kind::completed);
    EXPECT_EQ(outcome.text, server.url("/a%20b") + "\nT\n\nHello you");
    EXPECT_EQ(outcome.result_json,
              "{\"url\":\"" + server.url("/a%20b") + R"(","title":"T","text":"Hello you"})");
    ASSERT_THAT(server.requests(), SizeIs(1));
    EXPECT_THAT(server.requests()[0], StartsWith("GET /a%20b HTTP/1.1\r\nHost: 127.0.0.1:"));
    EXPECT_THAT(server.requests()[0], HasSubstr("Accept-Encoding: identity\r\n"));
}

TEST(FetchUrl, ReturnsJsonAndOldTextAsTheyAre) {
    const WebServer json([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "application/json", "{\"a\": \"<b>\"}");
    });
    EXPECT_THAT(fetcher(nullptr).run(arguments(json.url("/"))).text, HasSubstr("{\"a\": \"<b>\"}"));
    const WebServer latin([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/plain", "gr\xFC\xDF");
    });
    EXPECT_THAT(fetcher(nullptr).run(arguments(latin.url("/"))).text, HasSubstr("grüß"));
}

TEST(FetchUrl, GoesToNoPrivateAddress) {
    const WebServer server(always("HTTP/1.1 200 OK\r\n\r\nsecret"));
    ToolRun guarded = fetcher(is_public_address);
    const std::string port = std::to_string(server.port());
    // Also by a name that stands for it, and in other spellings of its number.
    for (const char* host : {"127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001",
                             "0177.0.0.1", "0.0.0.0", "0", "[::1]", "[::ffff:127.0.0.1]",
                             "[::ffff:7f00:1]", "169.254.169.254", "10.0.0.1", "[fe80::1]"}) {
        const ToolOutcome outcome =
            guarded.run(arguments(std::string("http://") + host + ":" + port + "/"));
        EXPECT_EQ(outcome.kind, Kind::failed) << host;
        EXPECT_THAT(outcome.text, HasSubstr("private or reserved")) << host;
    }
    EXPECT_THAT(server.requests(), SizeIs(0));
}

TEST(FetchUrl, FollowsRedirectsAFewTimes) {
    const WebServer server([](const std::string& request, WebServer::Socket& socket) {
        if (request.starts_with("GET /end ")) {
            WebServer::send_page(socket, "text/plain", "there");
        } else if (request.starts_with("GET /loop ")) {
            WebServer::send(socket, redirect_to("/loop"));
        } else {
            WebServer::send(socket, redirect_to("../end"));
        }
    });
    ToolRun open = fetcher(nullptr);
    EXPECT_EQ(open.run(arguments(server.url("/a/b"))).text, server.url("/end") + "\n\nthere");
    const ToolOutcome loop = open.run(arguments(server.url("/loop")));
    EXPECT_EQ(loop.text, "the page redirects more than 5 times");
    EXPECT_THAT(server.requests(), SizeIs(2 + 6));
}

TEST(FetchUrl, LooksAtTheAddressOfEveryRedirect) {
    // One loopback address stands for the public internet here, another for the private network.
    std::string target;
    const WebServer server([&](const std::string& request, WebServer::Socket& socket) {
        if (request.starts_with("GET /start ")) {
            WebServer::send(socket, redirect_to(target));
        } else {
            WebServer::send_page(socket, "text/plain", "secret");
        }
    });
    ToolRun guarded = fetcher([](const boost::asio::ip::address& address) {
        return address == boost::asio::ip::make_address("127.0.0.1");
    });
    target = "http://127.0.0.2:" + std::to_string(server.port()) + "/inside";
    const ToolOutcome refused = guarded.run(arguments(server.url("/start")));
    EXPECT_EQ(refused.kind, Kind::failed);
    EXPECT_THAT(refused.text, HasSubstr("private or reserved"));
    EXPECT_THAT(server.requests(), SizeIs(1));
    target = "file:///etc/passwd";
    EXPECT_THAT(guarded.run(arguments(server.url("/start"))).text, HasSubstr("not a URL"));
    target = "/inside";
    EXPECT_THAT(guarded.run(arguments(server.url("/start"))).text, HasSubstr("secret"));
}

TEST(FetchUrl, RefusesWhatIsNoText) {
    const WebServer image([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: "
                                "1000000000\r\n\r\n\x89PNG");
        WebServer::wait_for_end(socket);
    });
    EXPECT_THAT(fetcher(nullptr).run(arguments(image.url("/"))).text,
                HasSubstr("is not text but image/png"));
    const WebServer zeros([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/plain", std::string_view("a\0b", 3));
    });
    EXPECT_THAT(fetcher(nullptr).run(arguments(zeros.url("/"))).text, HasSubstr("is not text"));
}

TEST(FetchUrl, ReadsNoMoreThanItsLimits) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
        const std::string line(64 * 1024, 'x');
        for (int i = 0; i < 1024; ++i) WebServer::send(socket, line);  // 64 MiB, or what is taken
    });
    const ToolOutcome outcome = fetcher(nullptr).run(arguments(server.url("/")));
    EXPECT_EQ(outcome.kind, Kind::completed);
    EXPECT_LE(outcome.text.size(), ToolLimits().result_bytes);
    EXPECT_THAT(outcome.text, HasSubstr("[cut here: there is more]"));
    EXPECT_LE(outcome.result_json.size(), ToolLimits().result_bytes + 200);
}

TEST(FetchUrl, TellsAPageThatWasCut) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/html",
                             "<p>start</p><!--" + std::string(2'000'000, ' ') + "-->");
    });
    EXPECT_THAT(fetcher(nullptr).run(arguments(server.url("/"))).text,
                HasSubstr("start\n[the page is longer than 1 MiB"));
}

TEST(FetchUrl, WaitsNoLongerThanItsTime) {
    const WebServer server(
        [](const std::string&, WebServer::Socket& socket) { WebServer::wait_for_end(socket); });
    const ToolOutcome outcome = fetcher(nullptr, {.time = 100ms}).run(arguments(server.url("/")));
    EXPECT_EQ(outcome.kind, Kind::failed);
    EXPECT_EQ(outcome.text, "there was no answer within 100ms");
}

TEST(FetchUrl, LetsGoOfEverythingWhenTheClientHangsUp) {
    std::promise<void> ended;
    const WebServer server([&](const std::string&, WebServer::Socket& socket) {
        WebServer::wait_for_end(socket);
        ended.set_value();
    });
    ToolRun run = fetcher(nullptr);
    const auto begin = std::chrono::steady_clock::now();
    const ToolOutcome outcome = run.run_and_hang_up(arguments(server.url("/")), 50ms);
    EXPECT_EQ(outcome.kind, Kind::failed);
    EXPECT_EQ(ended.get_future().wait_for(5s), std::future_status::ready);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST(FetchUrl, ExplainsWhatWentWrong) {
    const auto problem = [](const std::string& bytes) {
        const WebServer server(always(bytes));
        const ToolOutcome outcome = fetcher(nullptr).run(arguments(server.url("/")));
        EXPECT_EQ(outcome.kind, Kind::failed) << bytes;
        return outcome.text;
    };
    EXPECT_THAT(problem("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
                HasSubstr("answered with status 404"));
    EXPECT_THAT(problem("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), HasSubstr("[address]"));
    EXPECT_THAT(problem("SSH-2.0-OpenSSH\r\n"), HasSubstr("broken HTTP"));
    EXPECT_THAT(problem("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
                HasSubstr("compressed"));
    EXPECT_THAT(problem(""), HasSubstr("[address] answers with broken HTTP"));
    ToolRun open = fetcher(nullptr);
    EXPECT_THAT(open.run("{}").text, HasSubstr("'url' is missing"));
    EXPECT_THAT(open.run(arguments("ftp://h/")).text, HasSubstr("http:// or https://"));
    EXPECT_THAT(open.run(arguments("http://127.0.0.1:1/")).text, HasSubstr("can't be reached"));
}

}  // namespace
}  // namespace runnel::tools
