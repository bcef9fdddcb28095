#include "http/server/open_connections.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <thread>
#include <vector>

namespace runnel::http {
namespace {

using Entry = OpenConnections::Entry;
using Service = OpenConnections::Service;

runnel::IpBytes ip(std::string_view text) { return *runnel::read_address(text); }

// A server's side of connections, each with a client's that says nothing.
class OpenConnectionsTest : public testing::Test {
protected:
    struct Connection {
        tcp::socket client;
        tcp::socket server;
        std::unique_ptr<Entry> entry;

        bool is_open() const { return server.is_open(); }
    };

    Connection& connect(std::string_view from = "192.0.2.1", Service offered = Service::full) {
        tcp::socket client(loop_);
        client.connect(acceptor_.local_endpoint());
        Connection& made =
            connections_.emplace_back(std::move(client), acceptor_.accept(), nullptr);
        made.entry = std::make_unique<Entry>(&all_, &made.server, offered);
        made.entry->comes_from(ip(from));
        return made;
    }

    asio::io_context loop_;
    tcp::acceptor acceptor_{loop_, {asio::ip::address_v4::loopback(), 0}};
    ConnectionSlots slots_{{.all = 3, .per_address = 2}};
    MemoryBudget memory_;
    OpenConnections all_{&slots_, &memory_, 2};
    std::deque<Connection> connections_;
};

TEST_F(OpenConnectionsTest, TheOldestThatHasNotAskedMakesRoom) {
    auto& first = connect("192.0.2.1");
    auto& second = connect("192.0.2.2");
    auto& third = connect("192.0.2.3");
    auto& fourth = connect("192.0.2.4");
    EXPECT_FALSE(first.is_open());
    EXPECT_TRUE(second.is_open() && third.is_open());
    EXPECT_EQ(fourth.entry->service(), Service::full);
    EXPECT_EQ(slots_.figures().closed, 1U);
}

TEST_F(OpenConnectionsTest, ThoseWhoNeverAskedGoBeforeIdleOnes) {
    auto& idle = connect("192.0.2.1");
    idle.entry->is_idle();
    auto& reading = connect("192.0.2.2");
    reading.entry->reads_request();
    auto& later = connect("192.0.2.3");
    connect("192.0.2.4");
    EXPECT_FALSE(reading.is_open());
    connect("192.0.2.5");
    EXPECT_FALSE(later.is_open());
    EXPECT_TRUE(idle.is_open());
}

TEST_F(OpenConnectionsTest, WhatHasComeButWasNotReadYetIsNotThrownAway) {
    auto& asks = connect("192.0.2.1");
    asio::write(asks.client, asio::buffer("GET", 3));
    asks.server.wait(tcp::socket::wait_read);
    auto& silent = connect("192.0.2.2");
    connect("192.0.2.3");
    connect("192.0.2.4");
    EXPECT_TRUE(asks.is_open());
    EXPECT_FALSE(silent.is_open());
}

TEST_F(OpenConnectionsTest, WhoHasItsAnswerMakesRoomWhateverElseItSends) {
    Stop stop;
    Stream stream{tcp::socket(loop_)};
    Responder responder(&stream, Request());
    auto& leaves = connect("192.0.2.1");
    leaves.entry->answers(&responder, &stop);
    leaves.entry->leaves();
    asio::write(leaves.client, asio::buffer("a body", 6));
    leaves.server.wait(tcp::socket::wait_read);
    for (const char* from : {"192.0.2.2", "192.0.2.3", "192.0.2.4"}) connect(from);
    EXPECT_FALSE(leaves.is_open());
}

TEST_F(OpenConnectionsTest, AnAddressMakesRoomForItself) {
    auto& other = connect("192.0.2.9");
    auto& first = connect("192.0.2.1");
    connect("192.0.2.1");
    slots_.set_limits({.all = 10, .per_address = 2});
    auto& third = connect("192.0.2.1");
    EXPECT_TRUE(other.is_open());
    EXPECT_FALSE(first.is_open());
    EXPECT_EQ(third.entry->service(), Service::full);
}

TEST_F(OpenConnectionsTest, OneIpv6NetworkIsOneAddress) {
    EXPECT_EQ(network_of(ip("2001:db8::1")), network_of(ip("2001:db8::ffff:0:0:7")));
    EXPECT_NE(network_of(ip("2001:db8::1")), network_of(ip("2001:db8:0:1::1")));
    EXPECT_NE(network_of(ip("192.0.2.1")), network_of(ip("192.0.2.2")));
}

TEST_F(OpenConnectionsTest, WhoAnswersKeepsItsSlotAndTheNextGetsEssentialsOnly) {
    std::deque<Stop> stops;
    for (const char* from : {"192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
        auto& busy = connect(from);
        Stream stream{tcp::socket(loop_)};
        Responder responder(&stream, Request());
        busy.entry->answers(&responder, &stops.emplace_back());
    }
    auto& first = connect("192.0.2.4");
    auto& second = connect("192.0.2.5");
    EXPECT_EQ(first.entry->service(), Service::essential);
    EXPECT_EQ(slots_.figures().refused_all, 2U);
    auto& third = connect("192.0.2.6");
    EXPECT_FALSE(first.is_open());
    EXPECT_TRUE(second.is_open() && third.is_open());
    EXPECT_TRUE(connections_.front().is_open());
}

TEST_F(OpenConnectionsTest, ABodyThatIsWantedMakesRoomForNobodyButEndsWithTheServer) {
    Stop stop;
    Stream stream{tcp::socket(loop_)};
    Responder responder(&stream, Request());
    auto& uploads = connect("192.0.2.1");
    uploads.entry->answers(&responder, &stop);
    uploads.entry->reads_request();
    for (const char* from : {"192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"}) connect(from);
    EXPECT_TRUE(uploads.is_open());
    uploads.entry->answers(&responder, &stop);
    all_.close_unasked();
    EXPECT_TRUE(uploads.is_open());
    uploads.entry->reads_request();
    all_.close_unasked();
    EXPECT_FALSE(uploads.is_open());
}

TEST_F(OpenConnectionsTest, SlotsAreFreeAgainWhenConnectionsEnd) {
    for (int round = 0; round < 20; ++round) {
        for (const char* from : {"192.0.2.1", "192.0.2.1", "2001:db8::1", "192.0.2.2"})
            connect(from);
        connect("192.0.2.1", Service::essential);
        connections_.clear();
    }
    EXPECT_TRUE(all_.empty());
    EXPECT_EQ(all_.count(), 0);
    for (const char* from : {"192.0.2.1", "192.0.2.1", "192.0.2.2"})
        EXPECT_EQ(connect(from).entry->service(), Service::full);
    for (const Connection& connection : connections_) EXPECT_TRUE(connection.is_open());
}

TEST_F(OpenConnectionsTest, ProxiesAreNotCountedByTheirOwnAddress) {
    slots_.set_limits({.all = 10, .per_address = 1});
    for (int i = 0; i < 5; ++i) {
        tcp::socket client(loop_);
        client.connect(acceptor_.local_endpoint());
        auto& made = connections_.emplace_back(std::move(client), acceptor_.accept(), nullptr);
        made.entry = std::make_unique<Entry>(&all_, &made.server);
        made.entry->comes_from_proxy(ip("10.0.0.1"));
        EXPECT_EQ(made.entry->service(), Service::full);
        EXPECT_TRUE(made.is_open());
    }
}

TEST_F(OpenConnectionsTest, WhereMemoryIsShortIdleOnesCloseAndAnswersAreTheLast) {
    MemoryBudget::Share share(&memory_);
    memory_.set_limit(std::size_t{1} << 20);
    auto& idle = connect("192.0.2.1");
    idle.entry->is_idle();
    auto& busy = connect("192.0.2.2");
    Stop stop;
    Stream stream{tcp::socket(loop_)};
    Request request;
    request.keep_alive = Request::KeepAlive::yes;
    Responder before(&stream, request);
    busy.entry->answers(&before, &stop);
    EXPECT_TRUE(before.keeps_alive());
    ASSERT_TRUE(share.resize(std::size_t{1} << 20));
    Responder after(&stream, request);
    busy.entry->answers(&after, &stop);
    EXPECT_FALSE(after.keeps_alive());
    EXPECT_FALSE(idle.is_open());
}

TEST(ConnectionSlots, AreCountedOverAllThreads) {
    ConnectionSlots slots({.all = 50, .per_address = 20});
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&slots, network = ip(i % 2 == 0 ? "192.0.2.1" : "192.0.2.2")] {
            for (int round = 0; round < 5'000; ++round) {
                if (!slots.take()) continue;
                if (slots.take_for(network)) slots.give_back_for(network);
                slots.give_back();
            }
        });
    for (std::thread& thread : threads) thread.join();
    int taken = 0;
    while (slots.take()) ++taken;
    EXPECT_EQ(taken, 50);
}

}  // namespace
}  // namespace runnel::http
