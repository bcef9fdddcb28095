#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::store {

// redis://[user:password@]host[:port][/db]
struct RedisAddress {
    std::string host;
    int port = 6379;
    int db = 0;
    std::string user{};
    Secret password{};
};
// The error says what is wrong with it, without the password.
Result<RedisAddress> read_redis_url(std::string_view url);

// What Redis says.
struct RedisReply {
    enum class Kind { nothing, text, number, list } kind = Kind::nothing;
    std::string text{};
    std::int64_t number = 0;
    std::vector<RedisReply> list{};
};

// Lua that Redis runs as one step. It is sent once, and then called by its digest.
class RedisScript {
public:
    explicit RedisScript(std::string source);

    const std::string& source() const { return source_; }
    const std::string& sha1() const { return sha1_; }

private:
    std::string source_;
    std::string sha1_;
};

// One connection to Redis on a thread of its own: what many threads ask meanwhile is sent in one
// go. Nothing here waits: answers come by call, on that thread, and are to be quick. While there is
// no connection every command fails at once.
//
// Commands must be such that doing them twice is doing them once: those whose answers a broken
// connection took away are sent again.
class RedisClient {
public:
    using Answer = std::move_only_function<void(Result<RedisReply>)>;

    struct Options {
        std::chrono::milliseconds connect_time{500};
        std::chrono::milliseconds command_time{500};
        // Both on the client's thread.
        std::function<void()> on_connected{};
        std::function<void()> on_tick{};  // about once per second
    };

    // Connects in the background, and again and again.
    RedisClient(RedisAddress address, Options options);
    // Sends what was asked for before, if Redis is there.
    ~RedisClient();
    RedisClient(const RedisClient&) = delete;
    RedisClient& operator=(const RedisClient&) = delete;

    bool connected() const;
    // For the start: most of the time Redis is there before the first request.
    bool wait_until_connected(std::chrono::milliseconds longest);

    void command(std::vector<std::string> words, Answer answer);
    // All keys must be in one slot of a cluster. The script outlives the client.
    void run(const RedisScript& script, std::vector<std::string> keys,
             std::vector<std::string> arguments, Answer answer);

    // For answers that are kept for a while, any bytes.
    using Found = std::move_only_function<void(Result<std::optional<std::string>>)>;
    void get(std::string key, Found answer);
    void set(std::string key, std::string value, std::chrono::milliseconds lifetime, Answer answer);

private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace runnel::store
