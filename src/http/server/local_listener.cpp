#include "http/server/local_listener.hpp"

#include "http/as_error.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace runnel::http {
namespace {

constexpr int local_backlog = 64;

Error cannot_listen(std::string_view path, std::string_view why) {
    return {ErrorKind::internal_error, fmt::format("cannot listen on {}: {}", path, why)};
}

// How many filters of system calls a process obeys; none where this kernel does not say.
std::optional<int> filters_of(const std::string& process) {
    constexpr std::string_view name = "Seccomp_filters:";
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name)) return std::atoi(line.c_str() + name.size());
    return std::nullopt;
}

// A tool's program has the same user as the gateway, and with `sandbox.local_sockets` may connect
// to every socket of that user's. It has the gateway's own filters and one more, and can't lose it.
bool is_in_our_sandbox(pid_t process) {
    if (process == 0) return false;  // of the machine around this container
    const auto own = filters_of("self");
    if (!own) return false;
    const auto others = filters_of(std::to_string(process));
    return !others || *others > *own;
}

// The file's mode says so too, but whoever has the same user can change it.
bool is_the_users_own(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    if (peer.uid == ::geteuid()) return !is_in_our_sandbox(peer.pid);
    return peer.uid == 0;
}

std::pair<dev_t, ino_t> file_at(const std::string& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

}  // namespace

LocalListener::LocalListener(asio::io_context* loop, TaskGroup* tasks, RequestHandler* handler,
                             ConnectionLimits limits, OpenConnections* connections)
    : loop_(loop),
      tasks_(tasks),
      handler_(handler),
      limits_(limits),
      connections_(connections),
      acceptor_(*loop) {}

LocalListener::~LocalListener() { stop(); }

// The socket is made under a name of its own and moved: there is no moment at which nobody answers,
// and none at which others could connect, because its mode is set before it has a name at all.
Result<void> LocalListener::listen(const std::string& path) {
    const std::string unfinished = fmt::format("{}.{}", path, ::getpid());
    if (unfinished.size() >= sizeof(sockaddr_un::sun_path))
        return fail(cannot_listen(path, "the path is too long for a socket; choose a shorter data "
                                        "folder"));
    ::unlink(unfinished.c_str());  // of a process that had this id before
    error_code error;
    acceptor_.open(asio::local::stream_protocol(), error);
    if (!error && ::fchmod(acceptor_.native_handle(), S_IRUSR | S_IWUSR) != 0)
        error = error_code(errno, boost::system::system_category());
    if (!error) acceptor_.bind(asio::local::stream_protocol::endpoint(unfinished), error);
    if (!error) acceptor_.listen(local_backlog, error);
    const auto file = file_at(unfinished);
    if (!error && ::rename(unfinished.c_str(), path.c_str()) != 0) {
        error = error_code(errno, boost::system::system_category());
        ::unlink(unfinished.c_str());
    }
    if (error) {
        const std::string why = error.message();
        acceptor_.close(error);
        return fail(cannot_listen(path, why));
    }
    path_ = path;
    file_ = file;
    return {};
}

void LocalListener::start() {
    if (acceptor_.is_open()) tasks_->start("accept on the local socket", accept_all());
}

void LocalListener::stop() {
    error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty() && file_at(path_) == file_) ::unlink(path_.c_str());
    path_.clear();
}

awaitable<void> LocalListener::accept_all() {
    while (acceptor_.is_open()) {
        auto [error, socket] = co_await acceptor_.async_accept(as_error);
        if (!error) {
            tasks_->start("local connection", serve(std::move(socket)));
        } else if (error != asio::error::operation_aborted) {
            asio::steady_timer pause(*loop_, std::chrono::milliseconds(50));
            co_await pause.async_wait(as_error);
        }
    }
}

awaitable<void> LocalListener::serve(asio::local::stream_protocol::socket socket) {
    if (!is_the_users_own(socket.native_handle())) co_return;
    OpenConnections::Entry entry(connections_, nullptr);
    co_await serve_connection(Stream(std::move(socket)), handler_, limits_, &entry);
}

}  // namespace runnel::http
