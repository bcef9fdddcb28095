#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace runnel {

// Where Redis is, and as whom it is asked.
struct RedisAddress {
    std::string host;
    int port = 6379;
    int db = 0;
    std::string user{};
    Secret password{};
};

// redis://[[user]:password@]host[:port][/db]. The error says what is wrong with it, and shows none
// of it.
Result<RedisAddress> read_redis_url(std::string_view url);

}  // namespace runnel
