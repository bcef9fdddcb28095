#pragma once

#include "base/own_count.hpp"
#include "http/client/connector.hpp"
#include "http/task_group.hpp"

#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace runnel::http {

// The idle upstream connections of one thread. The most recently used goes out first, so that the
// others can expire.
class ConnectionPool {
public:
    // `tls` as ClientTls takes it.
    ConnectionPool(asio::io_context* loop, TaskGroup* tasks, UpstreamTls* tls);

    enum class Reuse { allowed, forbidden };
    awaitable<Result<std::unique_ptr<UpstreamConnection>>> connect(const Destination* destination,
                                                                   Stop* stop);
    // An idle connection that is still silent; null where there is none.
    std::unique_ptr<UpstreamConnection> take_idle(const Destination& destination);
    // Takes a connection back. One whose response is all but read is read to its end first (for a
    // moment), off the caller's path; one that can't be used again is closed.
    void give_back(std::unique_ptr<UpstreamConnection> connection);

    // From any thread.
    struct Figures {
        std::int64_t idle;
        std::int64_t busy;
    };
    Figures figures() const;

private:
    void keep(std::unique_ptr<UpstreamConnection> connection);
    awaitable<void> read_to_end(std::unique_ptr<UpstreamConnection> connection);
    void sweep_later();
    void drop_expired();

    asio::io_context* loop_;
    TaskGroup* tasks_;
    Connector connector_;
    asio::steady_timer sweep_timer_;
    bool sweeping_ = false;
    std::unordered_map<std::string, std::vector<std::unique_ptr<UpstreamConnection>>> idle_;
    OwnCount idle_count_;
    // Idle or not. The last connections may outlive the pool.
    std::shared_ptr<OwnCount> open_ = std::make_shared<OwnCount>();
};

}  // namespace runnel::http
