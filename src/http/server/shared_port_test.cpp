#include "http/server/shared_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <vector>

#include <sys/socket.h>

namespace runnel::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// The listening sockets of what would be one process.
class Process {
public:
    Process(asio::io_context* loop, unsigned short* port, int count) : loop_(loop) {
        for (int i = 0; i < count; ++i) {
            tcp::acceptor& acceptor = acceptors_.emplace_back(*loop, tcp::v4());
            acceptor.set_option(ReusePort(true));
            acceptor.bind({asio::ip::address_v4::loopback(), *port});
            acceptor.listen();
            acceptor.non_blocking(true);
            *port = acceptor.local_endpoint().port();
        }
    }

    SharedPort port() {
        std::vector<int> sockets;
        for (tcp::acceptor& acceptor : acceptors_) sockets.push_back(acceptor.native_handle());
        return SharedPort(sockets);
    }

    // How many connections wait for each of its sockets; they are taken.
    std::vector<int> accepted() {
        std::vector<int> counts;
        for (tcp::acceptor& acceptor : acceptors_) {
            int& count = counts.emplace_back(0);
            for (boost::system::error_code error; !error;) {
                tcp::socket socket(*loop_);
                acceptor.accept(socket, error);
                if (!error) ++count;
            }
        }
        return counts;
    }

    int accepted_in_all() {
        int sum = 0;
        for (const int count : accepted()) sum += count;
        return sum;
    }

    void close() { acceptors_.clear(); }
    void close_first() { acceptors_.pop_front(); }

private:
    asio::io_context* loop_;
    std::list<tcp::acceptor> acceptors_;
};

class SharedPortTest : public testing::Test {
protected:
    void connect(int count) {
        for (int i = 0; i < count; ++i)
            tcp::socket(loop_).connect({asio::ip::address_v4::loopback(), port_});
    }

    asio::io_context loop_;
    unsigned short port_ = 0;
};

TEST_F(SharedPortTest, AloneHasNobodyToHandOverTo) {
    Process only(&loop_, &port_, 2);
    const SharedPort port = only.port();
    EXPECT_FALSE(port.has_predecessor());
    EXPECT_FALSE(port.hand_over());
    connect(20);
    EXPECT_EQ(only.accepted_in_all(), 20);
}

TEST_F(SharedPortTest, IsHandedOverToTheNewcomer) {
    Process old(&loop_, &port_, 2);
    const SharedPort old_port = old.port();
    Process newcomer(&loop_, &port_, 2);
    const SharedPort new_port = newcomer.port();
    EXPECT_FALSE(old_port.has_predecessor());
    EXPECT_TRUE(new_port.has_predecessor());

    ASSERT_TRUE(old_port.hand_over());
    connect(50);
    EXPECT_EQ(old.accepted_in_all(), 0);
    EXPECT_EQ(newcomer.accepted_in_all(), 50);

    old.close_first();
    connect(50);
    EXPECT_EQ(old.accepted_in_all(), 0);
    EXPECT_EQ(newcomer.accepted_in_all(), 50);

    old.close();
    EXPECT_FALSE(new_port.has_predecessor());
    new_port.take_over();
    connect(100);
    for (const int count : newcomer.accepted()) EXPECT_GT(count, 10);
}

TEST_F(SharedPortTest, IsHandedOverAgainAndAgain) {
    auto old = std::make_unique<Process>(&loop_, &port_, 2);
    auto old_port = std::make_unique<SharedPort>(old->port());
    for (const int threads : {2, 3, 3, 4}) {
        auto newcomer = std::make_unique<Process>(&loop_, &port_, threads);
        auto new_port = std::make_unique<SharedPort>(newcomer->port());
        ASSERT_TRUE(old_port->hand_over());
        connect(50);
        EXPECT_EQ(old->accepted_in_all(), 0);
        EXPECT_EQ(newcomer->accepted_in_all(), 50);
        old->close();
        EXPECT_FALSE(new_port->has_predecessor());
        new_port->take_over();
        old = std::move(newcomer);
        old_port = std::move(new_port);
    }
    connect(100);
    for (const int count : old->accepted()) EXPECT_GT(count, 1);
}

TEST_F(SharedPortTest, IsHandedBackByANewcomerThatLeavesFirst) {
    Process old(&loop_, &port_, 2);
    Process newcomer(&loop_, &port_, 2);
    ASSERT_TRUE(newcomer.port().hand_over());
    connect(50);
    EXPECT_EQ(newcomer.accepted_in_all(), 0);
    EXPECT_EQ(old.accepted_in_all(), 50);
}

}  // namespace
}  // namespace runnel::http
