#pragma once

#include "base/expiring_store.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/sha256.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace runnel::server {

// Browsers whose user has shown the admin token, or came by a one-time link. Shared by all threads;
// they end with the process, and when the config has another token than it had, or one at last.
// Time is passed in.
class Sessions {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours lifetime{12};

    // The name of a new session: a secret between the browser and the gateway.
    Result<std::string> open(const Secret& token, Clock::time_point now);
    bool is_open(std::string_view name, const Secret& token, Clock::time_point now) const;
    void close(std::string_view name);

private:
    static constexpr std::size_t bytes_max = 256 * 1024;  // more than a thousand

    // By the hash of their names: how long a search takes tells nothing about one.
    ExpiringStore<Digest> tokens_{lifetime, bytes_max};
};

// One-time links into the console: whoever shows a ticket is the admin, once and for a while after
// it was made. Shared by all threads; they end with the process. Time is passed in.
class Tickets {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::minutes lifetime{10};

    Result<std::string> make(Clock::time_point now);
    enum class Good { no, yes };
    // Nobody can use it after that.
    Good use(std::string_view ticket, Clock::time_point now);

private:
    struct Made {};
    static constexpr std::size_t bytes_max = 16 * 1024;  // about a hundred

    // By their hashes: how long a search takes tells nothing about one.
    ExpiringStore<Made> made_{lifetime, bytes_max};
};

}  // namespace runnel::server
