#include "http/client/connector.hpp"

#include "http/as_error.hpp"
#include "http/message/head_writer.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

namespace runnel::http {
namespace {

using namespace std::chrono_literals;

constexpr auto dial_time = 250ms;  // that one address has for itself
constexpr std::size_t proxy_reply_bytes_max = 16 * 1024;

std::unexpected<Error> unreachable(std::string message, const error_code& error) {
    Error out{ErrorKind::upstream_unreachable, std::move(message)};
    out.detail = error.message();
    return fail(std::move(out));
}

// Asks the proxy for a tunnel to `host`; afterwards the socket speaks with the origin.
awaitable<Result<void>> open_tunnel(tcp::socket* socket, std::string host,
                                    const Destination* destination) {
    const std::string& port = destination->origin.port;
    const std::string authority = host.find(':') == std::string::npos
                                      ? fmt::format("{}:{}", host, port)
                                      : fmt::format("[{}]:{}", host, port);
    auto head = HeadWriter::request("CONNECT", authority, authority);
    if (!destination->proxy->authorization.empty())
        head.field("Proxy-Authorization", destination->proxy->authorization);
    const std::string request = head.finish();
    const auto [write_error, written] =
        co_await asio::async_write(*socket, asio::buffer(request), as_error);
    if (write_error) co_return unreachable("the proxy hung up", write_error);
    std::string reply;
    // The origin says nothing before we do, so nothing past the proxy's empty line can come.
    while (!reply.ends_with("\r\n\r\n")) {
        char piece[512];
        const auto [error, count] = co_await socket->async_read_some(asio::buffer(piece), as_error);
        if (error) co_return unreachable("the proxy hung up", error);
        reply.append(piece, count);
        if (reply.size() > proxy_reply_bytes_max)
            co_return fail(ErrorKind::upstream_unreachable, "the proxy's answer is too long");
    }
    if (!reply.starts_with("HTTP/1.") || reply.substr(9, 1) != "2") {
        Error refused{ErrorKind::upstream_unreachable, "the proxy refused the connection"};
        refused.detail = reply.substr(0, reply.find('\r'));
        co_return fail(std::move(refused));
    }
    co_return Result<void>{};
}

// Connections to several addresses of one host in the making.
struct Dialling {
    explicit Dialling(asio::io_context* on) : loop(on), bell(*on) {}

    // The others are closed.
    std::unique_ptr<tcp::socket> end() {
        auto found = winner ? std::move(sockets[*winner]) : nullptr;
        for (const auto& socket : sockets) {
            error_code ignored;
            if (socket) socket->close(ignored);
        }
        return found;
    }

    asio::io_context* loop;
    asio::steady_timer bell;  // rings when one has answered or failed
    std::vector<std::unique_ptr<tcp::socket>> sockets;
    std::optional<std::size_t> winner;
    std::size_t open = 0;
    bool try_next = true;
    error_code error;  // the last
};

void dial(const std::shared_ptr<Dialling>& dialling, const tcp::endpoint& to) {
    const std::size_t at = dialling->sockets.size();
    const auto& socket =
        dialling->sockets.emplace_back(std::make_unique<tcp::socket>(*dialling->loop));
    ++dialling->open;
    socket->async_connect(to, [dialling, at](const error_code& error) {
        --dialling->open;
        if (!error && !dialling->winner) dialling->winner = at;
        if (error) {
            dialling->error = error;
            dialling->try_next = true;
        }
        dialling->bell.cancel();
    });
}

}  // namespace

Connector::Connector(asio::io_context* loop, UpstreamTls* tls)
    : loop_(loop),
      tls_(tls),
      resolver_(loop, environment_name_servers()) {}

awaitable<Result<std::vector<tcp::endpoint>>> Connector::resolve(std::string host, std::string port,
                                                                 Stop* stop) {
    auto addresses = co_await resolver_.resolve(std::move(host), stop);
    if (!addresses) co_return propagate(addresses);
    std::vector<tcp::endpoint> endpoints;
    for (const auto& address : *addresses)
        endpoints.emplace_back(address, static_cast<std::uint16_t>(std::stoi(port)));
    co_return endpoints;
}

// The origin's addresses that the destination allows. Those that are connected to are the very ones
// that were looked at: a name that changes its meaning in between changes nothing.
awaitable<Result<std::vector<tcp::endpoint>>>
Connector::resolve_allowed(const Destination* destination, Stop* stop) {
    const Origin& origin = destination->origin;
    auto endpoints = co_await resolve(origin.host, origin.port, stop);
    if (!endpoints || destination->may_connect_to == nullptr) co_return endpoints;
    std::erase_if(*endpoints, [&](const tcp::endpoint& endpoint) {
        return !destination->may_connect_to(endpoint.address());
    });
    if (endpoints->empty())
        co_return fail(ErrorKind::upstream_unreachable,
                       "its address is a private or reserved one, where nothing may be asked for");
    co_return endpoints;
}

// Happy eyeballs (RFC 8305): the next address is tried when one has failed, or beside one that
// takes long; the first that answers wins.
awaitable<Result<tcp::socket>> Connector::connect_tcp(std::vector<tcp::endpoint> endpoints,
                                                      Stop* stop) {
    const auto dialling = std::make_shared<Dialling>(loop_);
    const Stop::Guard guard(stop, [dialling] { dialling->bell.cancel(); });
    std::size_t next = 0;
    while (!dialling->winner && !stop->requested()) {
        if (next < endpoints.size() && std::exchange(dialling->try_next, false)) {
            dial(dialling, endpoints[next++]);
        } else if (dialling->open == 0 && next == endpoints.size()) {
            co_return unreachable("the connection failed", dialling->error);
        }
        dialling->bell.expires_after(dial_time);
        const auto [rung] = co_await dialling->bell.async_wait(as_error);
        if (!rung) dialling->try_next = true;
    }
    const auto winner = dialling->end();
    if (!winner || stop->requested())
        co_return unreachable("the connection failed", asio::error::operation_aborted);
    co_return std::move(*winner);
}

awaitable<Result<std::unique_ptr<UpstreamConnection>>>
Connector::connect_local(const Destination* destination, Stop* stop) {
    asio::local::stream_protocol::socket socket(*loop_);
    const Stop::Guard guard(stop, [&socket] {
        error_code ignored;
        socket.close(ignored);
    });
    const asio::local::stream_protocol::endpoint to(destination->local_socket);
    const auto [error] = co_await socket.async_connect(to, as_error);
    if (error) co_return unreachable("the connection failed", error);
    co_return std::make_unique<UpstreamConnection>(Stream(std::move(socket)),
                                                   destination->pool_key);
}

awaitable<Result<std::unique_ptr<UpstreamConnection>>>
Connector::connect(const Destination* destination, Stop* stop) {
    if (!destination->local_socket.empty()) co_return co_await connect_local(destination, stop);
    const Origin& origin = destination->origin;
    const bool tunnelled = destination->proxy.has_value();
    // A proxy looks names up by itself; where the address matters, it is told the address.
    std::string tunnel_to = origin.host;
    Result<std::vector<tcp::endpoint>> endpoints;
    if (!tunnelled || destination->may_connect_to != nullptr) {
        endpoints = co_await resolve_allowed(destination, stop);
        if (!endpoints) co_return propagate(endpoints);
        if (tunnelled) tunnel_to = endpoints->front().address().to_string();
    }
    if (tunnelled) {
        endpoints = co_await resolve(destination->proxy->host, destination->proxy->port, stop);
        if (!endpoints) co_return propagate(endpoints);
    }
    auto socket = co_await connect_tcp(std::move(*endpoints), stop);
    if (!socket) co_return propagate(socket);
    Stop::Guard guard(stop, [&socket] {
        error_code ignored;
        socket->close(ignored);
    });
    if (tunnelled) {
        auto tunnel = co_await open_tunnel(&*socket, std::move(tunnel_to), destination);
        if (!tunnel) co_return propagate(tunnel);
    }
    if (origin.scheme == Origin::Scheme::http)
        co_return std::make_unique<UpstreamConnection>(Stream(std::move(*socket)),
                                                       destination->pool_key);

    auto tls = tls_.wrap(std::move(*socket), origin.host);
    Stop::Guard tls_guard(stop, [&tls] {
        error_code ignored;
        tls->next_layer().close(ignored);
    });
    const auto [error] = co_await tls->async_handshake(ClientTls::Stream::client, as_error);
    if (error) co_return unreachable("the TLS handshake failed", error);
    co_return std::make_unique<UpstreamConnection>(Stream(std::move(tls)), destination->pool_key);
}

}  // namespace runnel::http
