#pragma once

#include "base/redis_address.hpp"
#include "base/result.hpp"
#include "storage/redis/connection.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runnel::storage {

class RedisLoop;

// Lua that Redis runs as one step, called by its digest.
class RedisScript {
public:
    explicit RedisScript(std::string source);

    const std::string& source() const { return source_; }
    const std::string& sha1() const { return sha1_; }

private:
    std::string source_;
    std::string sha1_;
};

// Redis, for many threads that can't wait: one connection on a thread of its own, on which what is
// asked meanwhile goes out in one go. Answers come by call, on that thread, and are to be quick.
// While there is no connection every command fails at once; one that gets no answer fails within
// twice the time for commands, and so do all that wait behind it.
//
// To do a command twice must be the same as to do it once: those whose answers went down with a
// connection are sent again on the next one.
class RedisClient {
public:
    using Answer = std::move_only_function<void(Result<RedisReply>)>;

    struct Options {
        std::chrono::milliseconds connect_time{500};
        std::chrono::milliseconds command_time{500};
        // Redis learns them with each connection. One that it forgets, or that is not among them,
        // is sent when it is called for, and then runs after what was asked for behind it.
        std::vector<const RedisScript*> scripts{};
        // Both are called on the client's thread.
        std::function<void()> on_connected{};
        std::function<void()> on_tick{};  // about once per second
    };

    RedisClient(RedisAddress address, Options options);
    // What was asked for is sent yet, if Redis is there.
    ~RedisClient();
    RedisClient(const RedisClient&) = delete;
    RedisClient& operator=(const RedisClient&) = delete;

    // Connects in the background, and again whenever it must.
    void start();

    bool connected() const;
    // For a start at which the first request finds Redis there, most of the time.
    bool wait_until_connected(std::chrono::milliseconds longest);

    void command(std::vector<std::string> words, Answer answer);
    // All keys must lie in one slot of a cluster. The script outlives the client.
    void run(const RedisScript& script, const std::vector<std::string>& keys,
             const std::vector<std::string>& arguments, Answer answer);

    // Any bytes, for a while.
    using Found = std::move_only_function<void(Result<std::optional<std::string>>)>;
    void get(std::string key, Found answer);
    void set(std::string key, std::string value, std::chrono::milliseconds lifetime, Answer answer);

private:
    std::unique_ptr<RedisLoop> loop_;
};

}  // namespace runnel::storage
