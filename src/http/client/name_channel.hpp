#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct ares_channeldata;

namespace runnel::http {

// Questions to the name servers, one c-ares channel whose sockets and time-outs are watched by a
// loop. Nothing in it waits.
class NameChannel {
public:
    // `servers` as Resolver takes them.
    NameChannel(boost::asio::io_context* loop, std::string servers);
    ~NameChannel();  // questions that are open are never answered
    NameChannel(const NameChannel&) = delete;
    NameChannel& operator=(const NameChannel&) = delete;

    enum class Family { v6, v4 };
    using Addresses = std::vector<boost::asio::ip::address>;
    struct Answer {
        Addresses addresses{};
        std::chrono::seconds kept{0};  // as the servers want it
        std::string why{};             // there are none
        bool is_certain = true;        // a server has said so
    };
    // Perhaps before it returns.
    void ask(const std::string& host, Family family, std::function<void(Answer)> answer);
    // What /etc/hosts says, and that localhost is this machine.
    Addresses in_hosts_file(const std::string& host, Family family) const;

private:
    struct Watch;

    struct Wants {
        bool read;
        bool write;
    };
    void watch(int socket, Wants wants);
    void wait(const std::shared_ptr<Watch>& watch);
    void arm_timer();

    boost::asio::io_context* loop_;
    ares_channeldata* channel_ = nullptr;  // null: c-ares could not be set up
    boost::asio::steady_timer timer_;
    std::map<int, std::shared_ptr<Watch>> watches_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for those the loop calls later
};

}  // namespace runnel::http
