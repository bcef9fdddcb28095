#include "http/client/client.hpp"

#include "http/timed_stop.hpp"
#include "support/web_server.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <thread>

#include <unistd.h>

namespace runnel::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::WebServer;

bool is_anybody(const asio::ip::address&) { return true; }
bool wants_pages(const ClientResponse& head) {
    return media_type(head.headers.get("Content-Type")) == "text/html";
}

// Answers whatever comes on one connection, as long as it stays open.
void keep_answering(WebServer::Socket& socket, const std::string& answer) {
    boost::system::error_code error;
    char bytes[4096];
    do {
        WebServer::send(socket, answer);
        socket.read_some(asio::buffer(bytes), error);
    } while (!error);
}

constexpr const char* ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ClientTest : public ::testing::Test {
protected:
    // A request for all of a small page.
    static ClientRequest request_for(const std::string& url) {
        return {.url = *read_url(url), .response_bytes_max = 1024};
    }

    Result<ClientResponse> fetch(ClientRequest request, std::chrono::milliseconds time = 10s) {
        Result<ClientResponse> response;
        Stop never;
        TimedStop timed(loop_.get_executor(), &never, time);
        loop_.restart();
        tasks_.start("fetch", fetch_into(&response, std::move(request), timed.get()));
        loop_.run();
        return response;
    }

    std::string error_of(ClientRequest request) {
        const auto response = fetch(std::move(request));
        return response ? "none" : response.error().message;
    }

    awaitable<void> fetch_into(Result<ClientResponse>* out, ClientRequest request, Stop* stop) {
        *out = co_await client_->fetch(std::move(request), stop);
        loop_.stop();
    }

    asio::io_context loop_;
    TaskGroup tasks_{loop_.get_executor()};
    // A server that keeps its connections ends after their client: it is reset before that.
    std::optional<Client> client_{std::in_place, &loop_, &tasks_, nullptr};
};

TEST(RequestHead, HasWhatEveryRequestHas) {
    const Origin origin = *read_origin("http://h:81");
    EXPECT_EQ(write_request_head(origin, {"GET", "/a?b"}),
              "GET /a?b HTTP/1.1\r\nHost: h:81\r\nUser-Agent: runnel/" RUNNEL_VERSION "\r\n\r\n");
    const std::vector<HeaderField> fields{{"User-Agent", "me"}, {"X-A", "b\r\nc"}};
    EXPECT_EQ(write_request_head(origin, {"POST", "/", fields, "12345"}),
              "POST / HTTP/1.1\r\nHost: h:81\r\nUser-Agent: me\r\nX-A: b  c\r\n"
              "Content-Length: 5\r\n\r\n");
    EXPECT_THAT(write_request_head(origin, {"DELETE", "/"}), HasSubstr("Content-Length: 0\r\n"));
}

TEST_F(ClientTest, ReadsAResponseWhole) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "HTTP/1.1 404 No\r\nX-Why: gone\r\nContent-Length: 4\r\n\r\nnone");
    });
    const auto response = fetch(request_for(server.url("/a")));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 404);
    EXPECT_EQ(response->headers.get("x-why"), "gone");
    EXPECT_EQ(response->body, "none");
    EXPECT_EQ(response->end, ClientResponse::Body::whole);
}

TEST_F(ClientTest, KeepsConnections) {
    const WebServer server(
        [](const std::string&, WebServer::Socket& socket) { keep_answering(socket, ok); });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(fetch(request_for(server.url("/")))->body, "ok");
    EXPECT_THAT(server.requests(), SizeIs(1));  // one connection
    EXPECT_EQ(client_->figures().idle, 1);
    client_.reset();
}

TEST_F(ClientTest, KeepsNoConnectionWhereTheAddressMatters) {
    const WebServer server(
        [](const std::string&, WebServer::Socket& socket) { keep_answering(socket, ok); });
    EXPECT_TRUE(fetch(request_for(server.url("/"))));
    for (int i = 0; i < 2; ++i) {
        ClientRequest guarded = request_for(server.url("/"));
        guarded.may_connect_to = is_anybody;
        EXPECT_TRUE(fetch(std::move(guarded)));
    }
    ASSERT_THAT(server.requests(), SizeIs(3));
    EXPECT_THAT(server.requests()[0], Not(HasSubstr("Connection: close")));
    EXPECT_THAT(server.requests()[1], HasSubstr("Connection: close"));
    EXPECT_EQ(client_->figures().idle, 1);
    client_.reset();
}

TEST_F(ClientTest, AsksAgainWhereAKeptConnectionHadBeenClosed) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, ok);
    });  // and hangs up
    for (int i = 0; i < 3; ++i) {
        ClientRequest request = request_for(server.url("/"));
        request.method = "POST";
        request.body = std::to_string(i);
        request.repeatable = true;
        EXPECT_TRUE(fetch(std::move(request)));
    }
    EXPECT_THAT(server.requests(), SizeIs(3));
}

TEST_F(ClientTest, AsksOnANewConnectionWhatMayNotBeAskedTwice) {
    const WebServer server(
        [](const std::string&, WebServer::Socket& socket) { keep_answering(socket, ok); });
    EXPECT_TRUE(fetch(request_for(server.url("/"))));
    ClientRequest request = request_for(server.url("/"));
    request.method = "POST";
    EXPECT_TRUE(fetch(std::move(request)));
    EXPECT_THAT(server.requests(), SizeIs(2));
    EXPECT_EQ(client_->figures().idle, 1);
    client_.reset();
}

TEST_F(ClientTest, CutsWhatIsTooLong) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send_page(socket, "text/plain", std::string(4'000'000, 'x'));
        WebServer::wait_for_end(socket);
    });
    const auto response = fetch(request_for(server.url("/")));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body.size(), 1024u);
    EXPECT_EQ(response->end, ClientResponse::Body::cut);
    EXPECT_EQ(client_->figures().idle, 0);
}

TEST_F(ClientTest, ReadsNoBodyThatIsNotWanted) {
    const WebServer server([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket,
                        "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9\r\n\r\n");
        WebServer::wait_for_end(socket);
    });
    ClientRequest request = request_for(server.url("/"));
    request.wants_body = wants_pages;
    const auto response = fetch(std::move(request));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "");
}

TEST_F(ClientTest, SaysWhoFailedAndHow) {
    const WebServer silent([](const std::string&, WebServer::Socket&) {});
    EXPECT_THAT(error_of(request_for(silent.url("/"))),
                HasSubstr("answers with broken HTTP: the connection closed before"));
    const WebServer other([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "SSH-2.0-OpenSSH\r\n");
    });
    EXPECT_THAT(error_of(request_for(other.url("/"))), HasSubstr("answers with broken HTTP"));
    const WebServer packed([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx");
    });
    EXPECT_THAT(error_of(request_for(packed.url("/"))), HasSubstr("compressed its answer"));
    EXPECT_THAT(error_of(request_for("http://127.0.0.1:1/")),
                StartsWith("http://127.0.0.1:1 can't be reached: the connection failed ("));
}

TEST_F(ClientTest, EndsWhenItIsStopped) {
    const WebServer silent(
        [](const std::string&, WebServer::Socket& socket) { WebServer::wait_for_end(socket); });
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(fetch(request_for(silent.url("/")), 50ms));
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

TEST_F(ClientTest, AsksByASocketInTheFileSystem) {
    const auto path =
        std::filesystem::temp_directory_path() / ("runnel_client_" + std::to_string(getpid()));
    asio::io_context server_loop;
    asio::local::stream_protocol::acceptor acceptor(server_loop, {path.string()});
    std::jthread server([&] {
        auto socket = acceptor.accept();
        char bytes[4096];
        const std::size_t count = socket.read_some(asio::buffer(bytes));
        EXPECT_THAT(std::string(bytes, count), HasSubstr("Host: localhost\r\n"));
        socket.write_some(asio::buffer(std::string_view(ok)));
    });
    struct Status final : CallHandler {
        void on_head(const ResponseHead& head) override { status = head.status; }
        void on_body(Padded) override {}
        void on_read(const Result<void>& read) override { outcome = read; }
        int status = 0;
        Result<void> outcome;
    } status;
    const auto destination = find_local_destination(path.string());
    ASSERT_TRUE(destination);
    const auto ask = [](Call* call, Status* out) -> awaitable<void> {
        Stop stop;
        auto done = co_await call->open(ConnectionPool::Reuse::allowed, &stop);
        if (done) done = co_await call->send({"GET", "/"}, &stop);
        while (done && out->outcome && !call->response_done()) co_await call->read(out, &stop);
    };
    Call call = client_->call(&*destination);
    tasks_.start("ask", ask(&call, &status));
    loop_.run();
    EXPECT_EQ(status.status, 200);
    std::filesystem::remove(path);
    EXPECT_FALSE(find_local_destination(std::string(200, 'x')));
}

}  // namespace
}  // namespace runnel::http
