#include "http/stream.hpp"

#include "base/limits.hpp"
#include "http/as_error.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <netinet/tcp.h>

namespace runnel::http {
namespace {

template <int Name>
using TcpOption = asio::detail::socket_option::integer<IPPROTO_TCP, Name>;

void prepare(tcp::socket& socket) {
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    // A peer that is gone without a word is noticed while it is silent, and while it takes nothing.
    const auto seconds = [](std::chrono::seconds time) { return static_cast<int>(time.count()); };
    const auto milliseconds = [](std::chrono::milliseconds time) {
        return static_cast<int>(time.count());
    };
    socket.set_option(TcpOption<TCP_KEEPIDLE>(seconds(limits::tcp_silence_time)), ignored);
    socket.set_option(TcpOption<TCP_KEEPINTVL>(seconds(limits::tcp_probe_time)), ignored);
    socket.set_option(TcpOption<TCP_KEEPCNT>(limits::tcp_probes), ignored);
    socket.set_option(TcpOption<TCP_USER_TIMEOUT>(milliseconds(limits::tcp_unacknowledged_time)),
                      ignored);
}

}  // namespace

Stream::Stream(tcp::socket socket) : plain_(std::move(socket)) { prepare(plain_); }

Stream::Stream(std::unique_ptr<Tls> tls)
    : tls_(std::move(tls)),
      plain_(tls_->get_executor()),
      more_to_read_(true) {  // the handshake may have read on into what follows it
    prepare(tls_->next_layer());
}

// The descriptor is read, written, waited for and closed in the same way, and nothing else is done
// with it: the rest of the code need not know two kinds of sockets.
Stream::Stream(asio::local::stream_protocol::socket socket)
    : plain_(socket.get_executor()),
      local_(true) {
    error_code error;
    const auto descriptor = socket.release(error);
    if (!error) plain_.assign(tcp::v4(), descriptor, error);
    plain_.non_blocking(true, error);
}

tcp::socket& Stream::socket() { return tls_ ? tls_->next_layer() : plain_; }

std::size_t Stream::read_now(std::span<char> into, error_code& error) {
    ++reads_in_a_row_;
    if (tls_) {
        // OpenSSL may hold decrypted bytes that the socket knows nothing of: read on until it says
        // it wants more.
        const std::size_t count = tls_->read_some(asio::buffer(into.data(), into.size()), error);
        more_to_read_ = !error;
        return count;
    }
    // The socket itself knows what is left, and waiting for it lets the thread's other streams have
    // a turn.
    return plain_.read_some(asio::buffer(into.data(), into.size()), error);
}

std::size_t Stream::write_now(std::span<const asio::const_buffer> buffers, error_code& error) {
    if (tls_) return 0;
    const std::size_t count = plain_.write_some(buffers, error);
    if (error == asio::error::would_block) error = {};
    return count;
}

// What is being written in the background; the stream may be gone when it ends.
struct Stream::Aside {
    Aside(std::string text, const asio::any_io_executor& executor)
        : bytes(std::move(text)),
          bell(executor, asio::steady_timer::time_point::max()) {}

    std::string bytes;
    asio::steady_timer bell;
    bool done = false;
    error_code error;
    std::function<void()> after;
};

bool Stream::is_writing_aside() const { return aside_ && !aside_->done; }

bool Stream::write_aside(std::string bytes) {
    if (!tls_ || is_writing_aside()) return false;
    aside_ = std::make_shared<Aside>(std::move(bytes), tls_->get_executor());
    asio::async_write(*tls_, asio::buffer(aside_->bytes),
                      [aside = aside_, tls = tls_](const error_code& error, std::size_t) {
                          aside->done = true;
                          aside->error = error;
                          aside->bell.cancel();
                          if (const auto call = std::exchange(aside->after, nullptr)) call();
                      });
    return true;
}

void Stream::after_write(std::function<void()> call) {
    (is_writing_aside() ? aside_->after : after_write_) = std::move(call);
}

awaitable<error_code> Stream::write(std::string_view bytes) {
    writing_ = true;
    error_code error;
    if (const auto aside = std::exchange(aside_, nullptr)) {
        if (!aside->done) co_await aside->bell.async_wait(as_error);
        if (aside->error) {
            writing_ = false;
            co_return aside->error;
        }
    }
    std::size_t count = 0;
    const auto buffer = asio::buffer(bytes.data(), bytes.size());
    if (tls_) {
        std::tie(error, count) = co_await asio::async_write(*tls_, buffer, as_error);
    } else {
        std::tie(error, count) = co_await asio::async_write(plain_, buffer, as_error);
    }
    writing_ = false;
    if (const auto call = std::exchange(after_write_, nullptr)) call();
    co_return error;
}

void Stream::close() {
    error_code ignored;
    socket().close(ignored);
}

void Stream::cancel() {
    error_code ignored;
    socket().cancel(ignored);
}

}  // namespace runnel::http
