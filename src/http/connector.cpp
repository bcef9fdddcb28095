#include "http/connector.hpp"

#include "http/as_error.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace runnel::http {
namespace {

using namespace std::chrono_literals;

constexpr auto address_time = 30s;
constexpr std::size_t addresses_max = 1024;  // hosts whose addresses are remembered
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
    std::string request = fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n", authority, authority);
    if (!destination->proxy->authorization.empty())
        request += fmt::format("Proxy-Authorization: {}\r\n", destination->proxy->authorization);
    request += "\r\n";
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

}  // namespace

Connector::Connector(asio::io_context* loop, UpstreamTls* tls) : loop_(loop), tls_(tls) {}

awaitable<Result<std::vector<tcp::endpoint>>> Connector::resolve(std::string host, std::string port,
                                                                 Stop* stop) {
    error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address)
        co_return std::vector{tcp::endpoint(address, static_cast<std::uint16_t>(std::stoi(port)))};

    const std::string key = fmt::format("{}:{}", host, port);
    const auto now = std::chrono::steady_clock::now();
    if (const auto known = addresses_.find(key);
        known != addresses_.end() && known->second.until > now)
        co_return known->second.endpoints;

    tcp::resolver resolver(*loop_);
    Stop::Guard guard(stop, [&resolver] { resolver.cancel(); });
    const auto [error, results] = co_await resolver.async_resolve(host, port, as_error);
    if (error) co_return unreachable("its host name was not found", error);
    std::vector<tcp::endpoint> endpoints;
    for (const auto& result : results) endpoints.push_back(result.endpoint());
    if (addresses_.size() >= addresses_max)
        std::erase_if(addresses_, [&](const auto& entry) { return entry.second.until <= now; });
    if (addresses_.size() < addresses_max) addresses_[key] = {endpoints, now + address_time};
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

awaitable<Result<tcp::socket>> Connector::connect_tcp(std::vector<tcp::endpoint> endpoints,
                                                      Stop* stop) {
    // A lookup that runs already can't be cancelled, and closing a socket that is not open yet
    // stops nothing.
    if (stop->requested())
        co_return unreachable("the connection failed", asio::error::operation_aborted);
    tcp::socket socket(*loop_);
    Stop::Guard guard(stop, [&socket] {
        error_code ignored;
        socket.close(ignored);
    });
    const auto [error, endpoint] = co_await asio::async_connect(socket, endpoints, as_error);
    if (error) co_return unreachable("the connection failed", error);
    co_return socket;
}

awaitable<Result<std::unique_ptr<UpstreamConnection>>>
Connector::connect(const Destination* destination, Stop* stop) {
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
