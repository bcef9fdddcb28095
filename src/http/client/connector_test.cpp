#include "http/client/connector.hpp"

#include "support/web_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::http {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::WebServer;

bool is_ipv4_loopback(const asio::ip::address& address) {
    return address == asio::ip::address_v4::loopback();
}
bool is_nobody(const asio::ip::address&) { return false; }

// Empty when it connects.
std::string connect(const Destination& destination) {
    asio::io_context loop;
    UpstreamTls tls;
    Connector connector(&loop, &tls);
    Stop stop;
    std::string problem = "nothing happened";
    const auto run = [](Connector* by, const Destination* to, Stop* until,
                        std::string* out) -> awaitable<void> {
        auto connection = co_await by->connect(to, until);
        *out = connection ? "" : connection.error().message;
    };
    asio::co_spawn(loop, run(&connector, &destination, &stop, &problem), asio::detached);
    loop.run();
    return problem;
}

TEST(Connector, ConnectsToAllowedAddressesOnly) {
    const WebServer server([](const std::string&, WebServer::Socket&) {});
    Destination destination;
    destination.origin = *read_origin("http://localhost:" + std::to_string(server.port()));
    destination.may_connect_to = is_ipv4_loopback;
    EXPECT_EQ(connect(destination), "");
    destination.may_connect_to = is_nobody;
    EXPECT_EQ(connect(destination),
              "its address is a private or reserved one, where nothing may be asked for");
}

TEST(Connector, TellsAProxyTheAddressWhereItMatters) {
    const WebServer proxy([](const std::string&, WebServer::Socket& socket) {
        WebServer::send(socket, "HTTP/1.1 200 OK\r\n\r\n");
    });
    Destination destination;
    destination.origin = *read_origin("http://localhost:81");
    destination.proxy = Proxy{"127.0.0.1", std::to_string(proxy.port()), ""};
    EXPECT_EQ(connect(destination), "");
    destination.may_connect_to = is_ipv4_loopback;
    EXPECT_EQ(connect(destination), "");
    EXPECT_THAT(proxy.requests(), ElementsAre(StartsWith("CONNECT localhost:81 HTTP/1.1\r\n"),
                                              StartsWith("CONNECT 127.0.0.1:81 HTTP/1.1\r\n")));
    destination.may_connect_to = is_nobody;
    EXPECT_NE(connect(destination), "");
    EXPECT_THAT(proxy.requests(), SizeIs(2));
}

}  // namespace
}  // namespace runnel::http
