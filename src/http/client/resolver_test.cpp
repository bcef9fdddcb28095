#include "http/client/resolver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <mutex>
#include <thread>

namespace runnel::http {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::udp;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int type_a = 1;

// A name server of a few lines. What it does not know does not exist; what it knows nothing of (no
// entry's text) it keeps silent about.
class NameServer {
public:
    struct Known {
        std::vector<std::string> addresses;
        std::uint8_t ttl = 60;
        bool silent = false;
    };

    explicit NameServer(std::map<std::string, Known> names) : names_(std::move(names)) {
        thread_ = std::thread([this] { serve(); });
    }
    ~NameServer() {
        udp::socket knock(loop_, udp::v4());
        knock.send_to(asio::buffer("", 0), socket_.local_endpoint());
        thread_.join();
    }

    std::string address() const {
        return "127.0.0.1:" + std::to_string(socket_.local_endpoint().port());
    }
    // "live A"
    std::vector<std::string> asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    void serve() {
        while (true) {
            std::array<char, 1024> bytes;
            udp::endpoint from;
            const std::size_t count = socket_.receive_from(asio::buffer(bytes), from);
            if (count == 0) return;
            const std::string reply = answer({bytes.data(), count});
            if (!reply.empty()) socket_.send_to(asio::buffer(reply), from);
        }
    }

    std::string answer(std::string query) {
        std::string name;
        std::size_t at = 12;
        while (query[at] != 0) {
            if (!name.empty()) name += '.';
            name.append(query, at + 1, static_cast<std::size_t>(query[at]));
            at += static_cast<std::size_t>(query[at]) + 1;
        }
        const int type = query[at + 2];
        {
            const std::lock_guard lock(mutex_);
            asked_.push_back(name + (type == type_a ? " A" : " AAAA"));
        }
        const auto known = names_.find(name);
        if (known != names_.end() && known->second.silent) return "";
        std::string reply = query.substr(0, at + 5);
        reply[2] = '\x81';
        reply[3] = known != names_.end() ? '\x80' : '\x83';
        reply.replace(6, 6, std::string("\0\0\0\0\0\0", 6));
        if (known == names_.end()) return reply;
        for (const std::string& text : known->second.addresses) {
            const auto address = asio::ip::make_address(text);
            if (address.is_v4() != (type == type_a)) continue;
            reply += std::string("\xc0\x0c\0", 3) + static_cast<char>(type) +
                     std::string("\0\1\0\0\0", 5) + static_cast<char>(known->second.ttl) + '\0';
            ++reply[7];
            const auto add = [&reply](const auto& raw) {
                reply += static_cast<char>(raw.size());
                reply.append(raw.begin(), raw.end());
            };
            if (address.is_v4()) add(address.to_v4().to_bytes());
            if (address.is_v6()) add(address.to_v6().to_bytes());
        }
        return reply;
    }

    std::map<std::string, Known> names_;
    asio::io_context loop_;
    udp::socket socket_{loop_, {asio::ip::address_v4::loopback(), 0}};
    mutable std::mutex mutex_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

std::string told(const Result<Resolver::Addresses>& found) {
    if (!found) return found.error().message;
    std::string all;
    for (const auto& address : *found) all += (all.empty() ? "" : " ") + address.to_string();
    return all;
}

class ResolverTest : public ::testing::Test {
protected:
    // Of each name, asked at the same time; the loop stops when all are answered.
    std::vector<std::string> look_up(Resolver* resolver, std::vector<std::string> names,
                                     Stop* stop) {
        std::vector<std::string> answers(names.size());
        std::size_t open = names.size();
        for (std::size_t i = 0; i < names.size(); ++i)
            asio::co_spawn(loop_, ask(resolver, names[i], stop, &answers[i]),
                           [&](const std::exception_ptr&) {
                               if (--open == 0) loop_.stop();
                           });
        loop_.restart();
        loop_.run();
        return answers;
    }
    std::vector<std::string> look_up(Resolver* resolver, std::vector<std::string> names) {
        Stop never;
        return look_up(resolver, std::move(names), &never);
    }
    static awaitable<void> ask(Resolver* resolver, std::string name, Stop* stop, std::string* to) {
        const auto found = co_await resolver->resolve(std::move(name), stop);
        *to = told(found);
    }

    asio::io_context loop_;
};

TEST_F(ResolverTest, TakesAddressesAndThisMachineWithoutAsking) {
    NameServer server({});
    Resolver resolver(&loop_, server.address());
    EXPECT_THAT(look_up(&resolver, {"10.1.2.3", "::1"}), ElementsAre("10.1.2.3", "::1"));
    EXPECT_THAT(look_up(&resolver, {"127.1", "2130706433", "0x7f000001", "0177.0.0.1"}),
                ElementsAre("127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1"));
    EXPECT_THAT(look_up(&resolver, {"localhost"})[0], ::testing::HasSubstr("127.0.0.1"));
    EXPECT_THAT(server.asked(), SizeIs(0));
}

TEST_F(ResolverTest, AsksForBothFamiliesWhichTakeTurns) {
    NameServer server({{"both.test", {{"10.0.0.1", "fd00::1", "10.0.0.2", "10.0.0.3"}}}});
    Resolver resolver(&loop_, server.address());
    EXPECT_THAT(look_up(&resolver, {"both.test"}),
                ElementsAre("fd00::1 10.0.0.1 10.0.0.2 10.0.0.3"));
}

TEST_F(ResolverTest, AsksOnceForAllWhoWaitAndRemembersForAsLongAsItWasTold) {
    NameServer server({{"short.test", {{"10.0.0.1"}, 1}}, {"long.test", {{"10.0.0.2"}, 60}}});
    Resolver resolver(&loop_, server.address());
    EXPECT_THAT(look_up(&resolver, {"long.test", "long.test", "short.test"}),
                ElementsAre("10.0.0.2", "10.0.0.2", "10.0.0.1"));
    EXPECT_THAT(look_up(&resolver, {"long.test"}), ElementsAre("10.0.0.2"));
    EXPECT_THAT(server.asked(), SizeIs(4));  // two kinds of two names
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    EXPECT_THAT(look_up(&resolver, {"long.test", "short.test"}),
                ElementsAre("10.0.0.2", "10.0.0.1"));
    EXPECT_THAT(server.asked(), SizeIs(6));
}

TEST_F(ResolverTest, RemembersForAMomentThatThereIsNoSuchName) {
    NameServer server({});
    Resolver resolver(&loop_, server.address());
    for (int i = 0; i < 3; ++i)
        EXPECT_THAT(look_up(&resolver, {"nowhere.test"}),
                    ElementsAre("its host name was not found"));
    EXPECT_THAT(server.asked(), SizeIs(2));
}

TEST_F(ResolverTest, ADeadNameDelaysNoOther) {
    NameServer server(
        {{"dead.test", {.addresses = {}, .silent = true}}, {"live.test", {{"10.0.0.1"}}}});
    Resolver resolver(&loop_, server.address());
    Stop stop;
    std::string dead = "nothing", live;
    asio::co_spawn(loop_, ask(&resolver, "dead.test", &stop, &dead), [](const auto&) {});
    asio::co_spawn(loop_, ask(&resolver, "live.test", &stop, &live),
                   [this](const auto&) { loop_.stop(); });
    loop_.run();
    EXPECT_EQ(live, "10.0.0.1");
    EXPECT_EQ(dead, "nothing");
    // Whoever waits for it can leave at once.
    stop.request(Stop::Reason::client_gone);
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(50));
    EXPECT_EQ(dead, "its host name was not found");
}

}  // namespace
}  // namespace runnel::http
