#include "storage/redis/client.hpp"

#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
using testing::RedisServer;

class RedisClientTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!RedisServer::is_installed()) GTEST_SKIP() << "redis-server is not installed";
        server.start();
    }

    // The answer in a few words.
    static std::string ask(RedisClient& client, std::vector<std::string> words) {
        std::promise<std::string> said;
        client.command(std::move(words), [&](Result<RedisReply> reply) {
            said.set_value(!reply                                    ? "failed"
                           : reply->kind == RedisReply::Kind::number ? std::to_string(reply->number)
                                                                     : reply->text);
        });
        return said.get_future().get();
    }
    static void wait_until_lost(const RedisClient& client) {
        for (int i = 0; i < 1000 && client.connected(); ++i) std::this_thread::sleep_for(5ms);
    }

    // Other programs may keep the machine busy.
    const RedisClient::Options patient{.connect_time = 10s, .command_time = 10s};
    RedisServer server;
};

TEST_F(RedisClientTest, AsksFromManyThreads) {
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    constexpr int threads = 8, commands = 500;
    std::atomic<int> answers = 0;
    {
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i)
            running.emplace_back([&] {
                for (int j = 0; j < commands; ++j)
                    client.command({"INCR", "n"}, [&](Result<RedisReply> reply) {
                        if (reply) ++answers;
                    });
            });
    }
    EXPECT_EQ(ask(client, {"GET", "n"}), std::to_string(threads * commands));
    EXPECT_EQ(answers, threads * commands);
}

TEST_F(RedisClientTest, KeepsBytesForAWhile) {
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    const std::string bytes("\0\r\n\xff$5", 6);
    const std::string large(3'000'000, 'x');
    const auto get = [&](std::string key) {
        std::promise<std::optional<std::string>> found;
        client.get(std::move(key), [&](Result<std::optional<std::string>> value) {
            found.set_value(value ? *value : "failed");
        });
        return found.get_future().get();
    };
    client.set("a", bytes, 10min, [](const Result<RedisReply>&) {});
    client.set("b", large, 10min, [](const Result<RedisReply>&) {});
    client.set("c", "gone", 1ms, [](const Result<RedisReply>&) {});
    EXPECT_EQ(get("a"), bytes);
    EXPECT_EQ(get("b"), large);
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(get("c"), std::nullopt);
    EXPECT_EQ(get("never"), std::nullopt);
}

TEST_F(RedisClientTest, RunsScriptsThatRedisHasForgotten) {
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    const RedisScript script("return redis.call('INCRBY', KEYS[1], ARGV[1])");
    const auto run = [&] {
        std::promise<std::int64_t> said;
        client.run(script, {"n"}, {"5"},
                   [&](Result<RedisReply> reply) { said.set_value(reply ? reply->number : -1); });
        return said.get_future().get();
    };
    EXPECT_EQ(run(), 5);
    EXPECT_EQ(run(), 10);
    EXPECT_EQ(ask(client, {"SCRIPT", "FLUSH"}), "OK");
    EXPECT_EQ(run(), 15);
}

TEST_F(RedisClientTest, TellsWhatRedisRefuses) {
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    EXPECT_EQ(ask(client, {"NO", "SUCH"}), "failed");
    EXPECT_EQ(ask(client, {"PING"}), "PONG");
}

TEST_F(RedisClientTest, LogsInAndChoosesADatabase) {
    RedisClient open(server.address(), patient);
    open.start();
    ASSERT_TRUE(open.wait_until_connected(5s));
    EXPECT_EQ(ask(open, {"ACL", "SETUSER", "me", "on", ">sesame", "~*", "+@all"}), "OK");
    RedisAddress address = server.address();
    address.user = "me";
    address.password = Secret("sesame");
    address.db = 3;
    RedisClient client(address, patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    EXPECT_EQ(ask(client, {"ACL", "WHOAMI"}), "me");
    EXPECT_EQ(ask(client, {"SET", "x", "1"}), "OK");
    EXPECT_EQ(ask(open, {"EXISTS", "x"}), "0");
    address.password = Secret("wrong");
    RedisClient stranger(address, patient);
    stranger.start();
    EXPECT_FALSE(stranger.wait_until_connected(300ms));
}

TEST_F(RedisClientTest, FailsAtOnceWhileRedisIsAwayAndComesBack) {
    std::atomic<int> connections = 0;
    RedisClient::Options options = patient;
    options.on_connected = [&] { ++connections; };
    RedisClient client(server.address(), options);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    server.kill();
    EXPECT_EQ(ask(client, {"PING"}), "failed");
    wait_until_lost(client);
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(ask(client, {"PING"}), "failed");
    EXPECT_LT(std::chrono::steady_clock::now() - before, patient.command_time);  // all of them
    server.start();
    ASSERT_TRUE(client.wait_until_connected(10s));
    EXPECT_EQ(ask(client, {"PING"}), "PONG");
    EXPECT_EQ(connections, 2);
}

TEST_F(RedisClientTest, AsksAgainWhereAConnectionWasClosedMeanwhile) {
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    server.kill();
    server.start();
    EXPECT_EQ(ask(client, {"PING"}), "PONG");
}

TEST_F(RedisClientTest, GivesUpOnARedisThatSaysNothing) {
    RedisClient client(server.address(), {.connect_time = 200ms, .command_time = 200ms});
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    server.freeze();
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(ask(client, {"PING"}), "failed");
    EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
    wait_until_lost(client);
    EXPECT_EQ(ask(client, {"PING"}), "failed");
    server.thaw();
    ASSERT_TRUE(client.wait_until_connected(10s));
    EXPECT_EQ(ask(client, {"PING"}), "PONG");
}

TEST_F(RedisClientTest, SendsWhatWasAskedForBeforeItGoes) {
    {
        RedisClient client(server.address(), patient);
        client.start();
        ASSERT_TRUE(client.wait_until_connected(5s));
        for (int i = 0; i < 5000; ++i)
            client.command({"INCR", "n"}, [](const Result<RedisReply>&) {});
    }
    RedisClient client(server.address(), patient);
    client.start();
    ASSERT_TRUE(client.wait_until_connected(5s));
    EXPECT_EQ(ask(client, {"GET", "n"}), "5000");
}

}  // namespace
}  // namespace runnel::storage
