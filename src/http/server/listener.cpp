#include "http/server/listener.hpp"

#include "base/limits.hpp"
#include "http/as_error.hpp"
#include "http/server/proxy_header.hpp"
#include "http/server/shared_port.hpp"
#include "http/server/trusted_proxies.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <optional>

#include <fcntl.h>
#include <unistd.h>

namespace runnel::http {
namespace {

constexpr int backlog = 4096;
// For the whole request of a connection that has no slot, its TLS handshake included.
constexpr auto essential_time = std::chrono::seconds(5);
constexpr auto no_descriptor_time = std::chrono::milliseconds(10);

using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

bool is_out_of_descriptors(const error_code& error) {
    return error == boost::system::errc::too_many_files_open ||
           error == boost::system::errc::too_many_files_open_in_system;
}

Error cannot_listen(std::string_view address, const tcp::endpoint& endpoint,
                    const error_code& error) {
    std::string why = error.message();
    if (error == asio::error::address_in_use)
        why = fmt::format(
            "{} there already; end it, choose another port with --listen, or, where it is a Runnel "
            "of yours that is to hand its work over, start this one with --take-over",
            listening_process(endpoint.port()).value_or("another process listens"));
    return {ErrorKind::internal_error, fmt::format("cannot listen on {}: {}", address, why)};
}

}  // namespace

Result<tcp::endpoint> read_listen_address(std::string_view text) {
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

Listener::Listener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler,
                   Entrance entrance, OpenConnections* connections)
    : loop_(loop),
      tasks_(tasks),
      handler_(handler),
      entrance_(std::move(entrance)),
      connections_(connections),
      acceptor_(*loop) {
    keep_spare();
}

Listener::~Listener() {
    if (spare_ >= 0) ::close(spare_);
}

// A socket that is bound without SO_REUSEPORT gets the port only where nobody listens, and the
// kernel sees to that, not a look beforehand that another process could overtake. Once it listens,
// the option lets the other threads in, and, later, the process that takes over.
Result<void> Listener::listen(std::string_view address, Port port) {
    auto endpoint = read_listen_address(address);
    if (!endpoint) return propagate(endpoint);
    error_code error;
    acceptor_.open(endpoint->protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && port == Port::shared) acceptor_.set_option(ReusePort(true), error);
    if (!error) acceptor_.bind(*endpoint, error);
    if (!error) acceptor_.listen(backlog, error);
    if (!error && port == Port::free) acceptor_.set_option(ReusePort(true), error);
    if (error) return fail(cannot_listen(address, *endpoint, error));
    return {};
}

void Listener::start() { tasks_->start("accept", accept_all()); }

void Listener::stop() {
    error_code error;
    acceptor_.non_blocking(true, error);
    while (!error) {
        tcp::socket socket(*loop_);
        acceptor_.accept(socket, error);
        if (!error) tasks_->start("connection", serve(std::move(socket), keep_spare()));
        if (error == asio::error::connection_aborted) error = {};  // that client left again
        if (is_out_of_descriptors(error) && free_a_descriptor()) error = {};
    }
    acceptor_.close(error);
}

awaitable<void> Listener::accept_all() {
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(as_error);
        if (!error) {
            tasks_->start("connection", serve(std::move(socket), keep_spare()));
            continue;
        }
        if (error == asio::error::operation_aborted || error == asio::error::connection_aborted)
            continue;
        if (is_out_of_descriptors(error)) {
            connections_->slots()->note(ConnectionSlots::Lack::descriptors, {});
            if (free_a_descriptor()) continue;
        }
        asio::steady_timer pause(*loop_, no_descriptor_time);
        co_await pause.async_wait(as_error);
    }
}

// Has the spare descriptor back where it was used up; what was accepted with it must leave soon.
Listener::Service Listener::keep_spare() {
    if (spare_ >= 0) return Service::full;
    spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return Service::essential;
}

// False: whoever has the others uses them.
bool Listener::free_a_descriptor() {
    if (connections_->make_room()) return true;
    if (spare_ < 0) return false;
    ::close(spare_);
    spare_ = -1;
    return true;
}

awaitable<void> Listener::serve(tcp::socket socket, Service offered) {
    OpenConnections::Entry entry(connections_, &socket, offered);
    const Entrance entrance = entrance_;
    const bool has_header = entrance.proxy_protocol == Entrance::ProxyProtocol::required;
    const auto begun = std::chrono::steady_clock::now();
    const auto give_up = [&entry] { entry.close_if_it_waits(); };
    std::optional<Watchdog> watchdog;  // few need one
    if (has_header || entrance.tls)
        watchdog.emplace(loop_->get_executor()).set(begun + entrance.limits.head_time, give_up);
    error_code error;
    const auto peer = bytes_of(socket.remote_endpoint(error).address());
    const bool is_proxy = entrance.limits.proxies->contains(peer);
    if (is_proxy)
        entry.comes_from_proxy(peer);
    else
        entry.comes_from(peer);
    if (has_header) {
        if (!is_proxy) co_return;
        const bool read = co_await read_proxy(&socket, &entry);
        if (!read) co_return;
    }
    const bool is_essential = entry.service() == Service::essential;
    if (is_essential) watchdog.emplace(loop_->get_executor()).set(begun + essential_time, give_up);
    if (!entrance.tls) {
        if (!is_essential) watchdog.reset();
        co_await serve_connection(Stream(std::move(socket)), handler_, entrance.limits, &entry);
        co_return;
    }
    auto stream = std::make_unique<Stream::Tls>(std::move(socket), *entrance.tls);
    entry.is_at(&stream->next_layer());
    std::tie(error) = co_await stream->async_handshake(Stream::Tls::server, as_error);
    if (!is_essential) watchdog.reset();
    if (error) co_return;
    co_await serve_connection(Stream(std::move(stream)), handler_, entrance.limits, &entry);
}

// Who the proxy asks for. False: the connection does not begin as it must.
awaitable<bool> Listener::read_proxy(tcp::socket* socket, OpenConnections::Entry* entry) {
    std::string bytes;
    while (true) {
        auto header = read_proxy_header(bytes);
        if (!header) co_return false;
        if (header->wanted == 0) {
            if (header->client) entry->comes_from(*header->client);
            co_return true;
        }
        const std::size_t size = bytes.size();
        bytes.resize(size + header->wanted);
        const auto [error, count] = co_await socket->async_read_some(
            asio::buffer(bytes.data() + size, header->wanted), as_error);
        if (error) co_return false;
        bytes.resize(size + count);
    }
}

}  // namespace runnel::http
