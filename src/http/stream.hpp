#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace runnel::http {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

// A connected socket, with or without TLS. Waiting and reading are two steps: a stream that waits
// holds no buffer, so thousands of idle ones cost almost nothing, and a thread's streams share one
// read buffer.
class Stream {
public:
    using Tls = asio::ssl::stream<tcp::socket>;

    explicit Stream(tcp::socket socket);
    explicit Stream(std::unique_ptr<Tls> tls);
    // Of this machine's, by a name in its file system.
    explicit Stream(asio::local::stream_protocol::socket socket);
    bool is_local() const { return local_; }
    bool is_encrypted() const { return tls_ != nullptr; }

    // Waits until there is something to read, the peer's end of stream included; `std::tie(error) =
    // co_await readable()`. What is awaited is the operation itself, not one more coroutine: a
    // stream waits for each of its chunks.
    auto readable() {
        reads_in_a_row_ = 0;
        return socket().async_wait(tcp::socket::wait_read, asio::as_tuple(asio::deferred));
    }
    // Takes what has arrived. would_block: nothing has; 0 without an error does not happen (eof is
    // an error).
    std::size_t read_now(std::span<char> into, error_code& error);
    // True when the last read_now() may have left bytes behind, so that readable() must not be
    // waited for.
    bool more_to_read() const { return more_to_read_; }
    // So much has come without a wait that the thread's others must have their turn first: a peer
    // that never stops sending would keep it to itself, and its own time-outs would not pass.
    bool must_yield() const { return reads_in_a_row_ >= reads_in_a_row_max; }

    // Waits until all else that is ready on this thread has had its turn. Whole messages are
    // written after that: those of a busy moment leave together, and a peer on this machine is
    // woken once for them, which costs more than to write one.
    auto others_first() {
        reads_in_a_row_ = 0;
        return asio::post(socket().get_executor(), asio::deferred);
    }
    // Writes what the kernel takes at once and says how much; never waits. With TLS that may be
    // nothing.
    std::size_t write_now(std::span<const asio::const_buffer> buffers, error_code& error);
    // Writes all of it, as fast as the peer reads.
    awaitable<error_code> write(std::string_view bytes);
    // Writes a few bytes in the background, before whatever is written next. False where that can't
    // be done: without TLS, where write_now() writes what can be written, or while it is being
    // done.
    bool write_aside(std::string bytes);

    // Pending operations end with operation_aborted; nothing else can be done with the stream after
    // it.
    void close();
    // Pending operations end with operation_aborted; the stream stays usable.
    void cancel();

    // True while a write() waits for the peer and a read could get into its way: with TLS a read
    // may have to write.
    bool must_not_read() const { return tls_ && (writing_ || is_writing_aside()); }
    // Calls back once when that write() has ended.
    void after_write(std::function<void()> call);

    tcp::socket& socket();

private:
    static constexpr int reads_in_a_row_max = 16;

    struct Aside;
    bool is_writing_aside() const;

    std::shared_ptr<Tls> tls_;  // shared with what is written aside
    tcp::socket plain_;         // unused with TLS
    std::shared_ptr<Aside> aside_;
    bool local_ = false;
    bool more_to_read_ = false;
    int reads_in_a_row_ = 0;
    bool writing_ = false;
    std::function<void()> after_write_;
};

}  // namespace runnel::http
