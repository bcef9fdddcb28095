#include "http/listener.hpp"

#include "base/limits.hpp"
#include "http/as_error.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

namespace runnel::http {
namespace {

constexpr int backlog = 4096;

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<tcp::endpoint> read_address(std::string_view text) {
    const auto bad = [&] {
        return fail(ErrorKind::invalid_value,
                    fmt::format("'{}' is not an address to listen on; write it as 127.0.0.1:8080, "
                                "[::1]:8080 or :8080 for every interface",
                                text));
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return bad();
    const std::string port_text(text.substr(colon + 1));
    std::string host(text.substr(0, colon));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = "127.0.0.1";
    if (host.empty() || host == "*") host = "0.0.0.0";
    error_code error;
    const auto address = asio::ip::make_address(host, error);
    if (error || port_text.empty() || port_text.size() > 5 ||
        port_text.find_first_not_of("0123456789") != std::string::npos ||
        std::stoi(port_text) > 65535)
        return bad();
    return tcp::endpoint(address, static_cast<unsigned short>(std::stoi(port_text)));
}

}  // namespace

Listener::Listener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler,
                   asio::ssl::context* tls, ConnectionLimits limits, OpenConnections* connections)
    : loop_(loop),
      tasks_(tasks),
      handler_(handler),
      tls_(tls),
      limits_(limits),
      connections_(connections),
      acceptor_(*loop) {}

Result<void> Listener::listen(std::string_view address) {
    auto endpoint = read_address(address);
    if (!endpoint) return propagate(endpoint);
    error_code error;
    acceptor_.open(endpoint->protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.set_option(ReusePort(true), error);
    if (!error) acceptor_.bind(*endpoint, error);
    if (!error) acceptor_.listen(backlog, error);
    if (error)
        return fail(ErrorKind::internal_error,
                    fmt::format("cannot listen on {}: {}", address, error.message()));
    return {};
}

unsigned short Listener::port() const { return acceptor_.local_endpoint().port(); }

void Listener::start() { tasks_->start("accept", accept_all()); }

void Listener::stop() {
    error_code error;
    acceptor_.non_blocking(true, error);
    while (!error) {
        tcp::socket socket(*loop_);
        acceptor_.accept(socket, error);
        if (!error) tasks_->start("connection", serve(std::move(socket)));
        if (error == asio::error::connection_aborted) error = {};  // that client left again
    }
    acceptor_.close(error);
}

awaitable<void> Listener::accept_all() {
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(as_error);
        if (!error) {
            tasks_->start("connection", serve(std::move(socket)));
        } else if (error != asio::error::operation_aborted) {
            // Out of descriptors, most likely: let some connections end before trying again.
            asio::steady_timer pause(*loop_, std::chrono::milliseconds(50));
            co_await pause.async_wait(as_error);
        }
    }
}

awaitable<void> Listener::serve(tcp::socket socket) {
    OpenConnections::Place place(connections_);
    if (tls_ == nullptr) {
        co_await serve_connection(Stream(std::move(socket)), handler_, limits_, &place);
        co_return;
    }
    auto stream = std::make_unique<Stream::Tls>(std::move(socket), *tls_);
    place.is_at(&stream->next_layer());
    Watchdog watchdog(loop_->get_executor());
    watchdog.set(std::chrono::steady_clock::now() + limits::request_read_time, [&stream] {
        error_code ignored;
        stream->next_layer().close(ignored);
    });
    const auto [error] = co_await stream->async_handshake(Stream::Tls::server, as_error);
    watchdog.stop();
    if (error) co_return;
    co_await serve_connection(Stream(std::move(stream)), handler_, limits_, &place);
}

}  // namespace runnel::http
