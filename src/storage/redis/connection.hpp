#pragma once

#include "base/redis_address.hpp"
#include "base/result.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct redisContext;

namespace runnel::storage {

// What Redis says.
struct RedisReply {
    enum class Kind { nothing, text, number, list, error } kind = Kind::nothing;
    std::string text{};  // an error's, too
    std::int64_t number = 0;
    std::vector<RedisReply> list{};
};

// A connection that waits for its answers, for a thread that has nothing else to do. After an error
// it is good for nothing any more.
class RedisConnection {
public:
    // Knows who is asking, has the database selected and has said something: one that accepts
    // connections but is busy loading, or hangs, is not there.
    static Result<RedisConnection> open(const RedisAddress& address,
                                        std::chrono::milliseconds connect_time,
                                        std::chrono::milliseconds command_time);

    // One command that must go well.
    Result<void> ask(const std::vector<std::string>& words);

    // Sent with the next read, all that was added since the last one in one go.
    void add(const std::vector<std::string>& words);
    // The answer to the oldest command that has none yet. `upstream_timeout` when it does not come.
    Result<RedisReply> read();

private:
    struct Close {
        void operator()(redisContext* connection) const;
    };
    explicit RedisConnection(redisContext* connection) : connection_(connection) {}

    std::unique_ptr<redisContext, Close> connection_;
};

}  // namespace runnel::storage
