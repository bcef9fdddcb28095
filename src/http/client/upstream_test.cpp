#include "http/client/upstream.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace runnel::http {
namespace {

// Nothing that is read here matters.
class Ignore final : public ResponseHandler {
    void on_head(const ResponseHead&) override {}
    void on_body(Padded) override {}
};

constexpr std::string_view head = "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n";

awaitable<void> send_and_read(UpstreamConnection* connection, std::function<void()> meanwhile) {
    Stop stop;
    const auto sent = co_await connection->send(std::string(head), "", &stop);
    if (!sent) co_return;
    meanwhile();
    error_code error;
    std::tie(error) = co_await connection->readable();
    Ignore ignore;
    std::array<char, 256 + padding_bytes> buffer;
    (void)connection->read(buffer, &ignore);
}

class UpstreamConnectionTest : public ::testing::Test {
protected:
    UpstreamConnectionTest() {
        tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
        tcp::socket socket(loop_);
        socket.connect(acceptor.local_endpoint());
        peer_ = acceptor.accept();
        connection_.emplace(Stream(std::move(socket)), "peer");
    }

    void ask(std::function<void()> meanwhile) {
        asio::co_spawn(loop_, send_and_read(&*connection_, std::move(meanwhile)),
                       [](const std::exception_ptr&) {});
        loop_.run();
    }
    void read_request() {
        std::string request(head.size(), ' ');
        asio::read(peer_, asio::buffer(request));
    }

    asio::io_context loop_;
    tcp::socket peer_{loop_};
    std::optional<UpstreamConnection> connection_;
};

TEST_F(UpstreamConnectionTest, IsStaleWhereThePeerHadClosedItBefore) {
    connection_->begin_next();
    peer_.close();
    ask([] {});
    EXPECT_TRUE(connection_->was_stale());
}

TEST_F(UpstreamConnectionTest, WasHeardWhereThePeerHadReadTheRequest) {
    connection_->begin_next();
    ask([this] {
        read_request();
        peer_.close();
    });
    EXPECT_FALSE(connection_->was_stale());
}

TEST_F(UpstreamConnectionTest, MayHaveBeenHeardWhereItWasReset) {
    connection_->begin_next();
    ask([this] {
        read_request();
        peer_.set_option(asio::socket_base::linger(true, 0));
        peer_.close();
    });
    EXPECT_FALSE(connection_->was_stale());
}

TEST_F(UpstreamConnectionTest, IsNotStaleWhereItIsNew) {
    peer_.close();
    ask([] {});
    EXPECT_FALSE(connection_->was_stale());
}

}  // namespace
}  // namespace runnel::http
