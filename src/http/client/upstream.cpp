#include "http/client/upstream.hpp"

#include <boost/asio/ssl/error.hpp>

#include <array>
#include <cstddef>
#include <optional>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace runnel::http {
namespace {

// What the kernel tells of a connection; glibc's struct ends before what kernels have added.
struct TcpInfo {
    tcp_info older;
    std::uint64_t pacing_rate, pacing_rate_max;
    std::uint64_t bytes_acked;
};
static_assert(offsetof(TcpInfo, bytes_acked) == 120);

// That the peer's system has acknowledged, of all that was ever sent; none: the kernel is too old
// to say.
std::optional<std::uint64_t> bytes_taken(tcp::socket& socket) {
    TcpInfo info{};
    socklen_t size = sizeof info;
    if (getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < sizeof info)
        return std::nullopt;
    return info.bytes_acked;
}

}  // namespace

Error connection_lost(std::string_view what, const error_code& error) {
    return {ErrorKind::upstream_unreachable, std::string(what), {}, error.message()};
}

UpstreamConnection::UpstreamConnection(Stream stream, std::string pool_key)
    : stream_(std::move(stream)),
      pool_key_(std::move(pool_key)) {}

UpstreamConnection::~UpstreamConnection() {
    if (open_) open_->add(-1);
}

void UpstreamConnection::count_among(std::shared_ptr<OwnCount> open) {
    open_ = std::move(open);
    open_->add();
}

awaitable<Result<void>> UpstreamConnection::send(std::string head, std::string_view body,
                                                 Stop* stop) {
    const std::array buffers{asio::const_buffer(head.data(), head.size()),
                             asio::const_buffer(body.data(), body.size())};
    Stop::Guard guard(stop, [this] { stream_.close(); });
    co_await stream_.others_first();
    if (reused_) taken_before_ = bytes_taken(stream_.socket()).value_or(0);
    error_code error;
    std::size_t sent = stream_.write_now(buffers, error);
    for (std::string_view rest : {std::string_view(head), body}) {
        const std::size_t done = std::min(sent, rest.size());
        sent -= done;
        rest.remove_prefix(done);
        if (!error && !rest.empty()) error = co_await stream_.write(rest);
    }
    if (error == asio::error::broken_pipe || error == asio::error::connection_reset)
        lost_ = Lost::half_sent;
    if (error)
        co_return fail(connection_lost("the connection broke while the request was sent", error));
    co_return Result<void>{};
}

Result<void> UpstreamConnection::read(std::span<char> buffer, ResponseHandler* handler) {
    error_code error;
    const auto space = buffer.first(buffer.size() - padding_bytes);
    const std::size_t count = stream_.read_now(space, error);
    if (error == asio::error::would_block) return {};
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
        lost_ = Lost::hung_up;
        return reader_.finish();
    }
    if (error) return fail(connection_lost("the connection broke", error));
    any_bytes_ = true;
    return reader_.feed(Padded::vouched({space.data(), count}), handler);
}

bool UpstreamConnection::was_stale() {
    if (!reused_ || any_bytes_) return false;
    // Half a request can't be acted on.
    if (lost_ == Lost::half_sent) return true;
    // The end of the stream tells how far the peer had read when it was sent.
    return lost_ == Lost::hung_up && bytes_taken(stream_.socket()) == taken_before_;
}

bool UpstreamConnection::still_idle() {
    char byte;
    error_code error;
    stream_.socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
    return error == asio::error::would_block;
}

void UpstreamConnection::begin_next() {
    reader_.reset();
    any_bytes_ = false;
    lost_ = Lost::not_so;
    reused_ = true;
}

}  // namespace runnel::http
