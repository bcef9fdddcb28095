#pragma once

#include "http/stop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runnel::exchange {

// Of several requests for the same answer at the same time one asks for it; the others wait until
// it is there. Shared by all threads.
class SingleFlight {
public:
    // Held by the one who asks; the others wait no longer when it goes.
    class Lead {
    public:
        Lead(SingleFlight* single_flight, std::string key)
            : flights_(single_flight),
              key_(std::move(key)) {}
        Lead(Lead&& other) noexcept
            : flights_(std::exchange(other.flights_, nullptr)),
              key_(std::move(other.key_)) {}
        Lead& operator=(Lead&&) = delete;
        ~Lead() {
            if (flights_ != nullptr) flights_->finish(key_);
        }

    private:
        SingleFlight* flights_;
        std::string key_;
    };

    // The lead at once where nobody else has it; otherwise nothing, once that one has gone, `stop`
    // was told or it took too long: who has it may be in no hurry to take the answer.
    boost::asio::awaitable<std::optional<Lead>>
    join(std::string key, std::chrono::milliseconds patience, http::Stop* stop);

private:
    using Timer = std::shared_ptr<boost::asio::steady_timer>;

    // Null where the lead is free, and now taken.
    Timer wait_in_line(const std::string& key, std::chrono::milliseconds patience,
                       const boost::asio::any_io_executor& loop);
    void finish(const std::string& key);

    std::mutex mutex_;
    std::map<std::string, std::vector<Timer>> waiting_;  // for each who asks, those who wait
};

}  // namespace runnel::exchange
