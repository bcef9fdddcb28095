#pragma once

#include "base/expiring_store.hpp"
#include "base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace runnel::server {

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
