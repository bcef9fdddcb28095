#include "http/stream.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <netinet/tcp.h>

namespace runnel::http {
namespace {

class Connected : public testing::Test {
protected:
    Connected() {
        tcp::acceptor acceptor(loop_, {asio::ip::address_v4::loopback(), 0});
        tcp::socket client(loop_);
        client.connect(acceptor.local_endpoint());
        server_ = std::make_unique<Stream>(acceptor.accept());
        client_ = std::make_unique<Stream>(std::move(client));
    }

    static int option(Stream& stream, int level, int name) {
        int value = 0;
        socklen_t size = sizeof value;
        EXPECT_EQ(::getsockopt(stream.socket().native_handle(), level, name, &value, &size), 0);
        return value;
    }

    asio::io_context loop_;
    std::unique_ptr<Stream> server_;
    std::unique_ptr<Stream> client_;
};

TEST_F(Connected, NoticesWithin90SecondsThatThePeerIsGone) {
    for (Stream* stream : {server_.get(), client_.get()}) {
        EXPECT_EQ(option(*stream, SOL_SOCKET, SO_KEEPALIVE), 1);
        const int silent =
            option(*stream, IPPROTO_TCP, TCP_KEEPIDLE) +
            option(*stream, IPPROTO_TCP, TCP_KEEPINTVL) * option(*stream, IPPROTO_TCP, TCP_KEEPCNT);
        EXPECT_LE(silent, 90);
        EXPECT_LE(option(*stream, IPPROTO_TCP, TCP_USER_TIMEOUT), 90'000);
        EXPECT_GT(option(*stream, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
    }
}

TEST_F(Connected, SendsSmallPiecesAtOnce) {
    EXPECT_EQ(option(*server_, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ(option(*client_, IPPROTO_TCP, TCP_NODELAY), 1);
}

}  // namespace
}  // namespace runnel::http
