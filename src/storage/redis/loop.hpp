#pragma once

#include "storage/redis/client.hpp"
#include "storage/redis/connection.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace runnel::storage {

// The RedisClient's thread, its connection and what waits for it.
class RedisLoop {
public:
    struct Command {
        std::vector<std::string> words;
        const RedisScript* script;  // none: a plain command
        RedisClient::Answer answer;
        std::size_t bytes = 0;
    };

    RedisLoop(RedisAddress address, RedisClient::Options options);
    ~RedisLoop();
    RedisLoop(const RedisLoop&) = delete;
    RedisLoop& operator=(const RedisLoop&) = delete;

    void start();
    bool connected() const { return connected_; }
    bool wait_until_connected(std::chrono::milliseconds longest);
    void post(Command command);

private:
    using Clock = std::chrono::steady_clock;
    using Batch = std::vector<Command>;

    void run();
    Result<RedisConnection> open() const;
    bool connect();
    Batch wait_for_work();
    void tick();
    // Every command of it is answered in the end, one way or the other.
    void carry_out(Batch batch);
    // What is left in it has no answer yet.
    Result<void> exchange(Batch& batch);
    static void fail_all(Batch batch, const Error& why);
    void give_up(const Error& why);
    bool pause();  // false: the client goes

    const RedisAddress address_;
    const RedisClient::Options options_;
    std::optional<RedisConnection> connection_;  // the thread's own
    std::chrono::milliseconds pause_time_{0};
    Clock::time_point next_tick_{};
    bool complained_ = false;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Command> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> connected_ = false;
    std::thread thread_;
};

}  // namespace runnel::storage
