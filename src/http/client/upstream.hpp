#pragma once

#include "base/own_count.hpp"
#include "base/result.hpp"
#include "http/client/response_reader.hpp"
#include "http/stop.hpp"
#include "http/stream.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace runnel::http {

// What is said of a connection that broke.
Error connection_lost(std::string_view what, const error_code& error);

// One connection to an upstream, carrying one request at a time.
class UpstreamConnection {
public:
    UpstreamConnection(Stream stream, std::string pool_key);
    ~UpstreamConnection();
    UpstreamConnection(const UpstreamConnection&) = delete;
    UpstreamConnection& operator=(const UpstreamConnection&) = delete;

    // Is one of these for as long as it lives.
    void count_among(std::shared_ptr<OwnCount> open);

    // Sends a whole request. `head` ends with the empty line; `body` must live as long.
    awaitable<Result<void>> send(std::string head, std::string_view body, Stop* stop);
    // Waits until there is something of the response to read; an error after close().
    auto readable() { return stream_.readable(); }
    // False when bytes are there already, so that readable() must not be waited for.
    bool must_wait() const { return !stream_.more_to_read(); }
    // As of Stream.
    bool must_yield() const { return stream_.must_yield(); }
    auto others_first() { return stream_.others_first(); }
    void close() { stream_.close(); }
    // Reads what has arrived into `buffer`, whose last padding_bytes stay free, and hands it to the
    // handler.
    Result<void> read(std::span<char> buffer, ResponseHandler* handler);

    bool response_done() const { return reader_.done(); }
    bool reusable() const { return reader_.reusable(); }
    // True while nothing unexpected has come: an idle connection must be silent.
    bool still_idle();
    void begin_next();
    bool is_reused() const { return reused_; }
    // After a failure: a kept connection that the peer had closed by the time the request was on
    // its way, so that nobody can have acted on it. False wherever that is not certain: the peer's
    // system has taken a byte of it, or the connection was reset, which tells nothing.
    bool was_stale();
    const std::string& pool_key() const { return pool_key_; }
    std::chrono::steady_clock::time_point idle_since{};

private:
    Stream stream_;
    ResponseReader reader_;
    std::string pool_key_;
    std::shared_ptr<OwnCount> open_;
    bool any_bytes_ = false;
    bool reused_ = false;
    enum class Lost { not_so, half_sent, hung_up } lost_ = Lost::not_so;
    std::uint64_t taken_before_ = 0;  // bytes that the peer had taken before this request
};

}  // namespace runnel::http
