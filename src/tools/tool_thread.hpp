#pragma once

#include "http/client/client.hpp"
#include "http/task_group.hpp"
#include "http/tls.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace runnel::tools {

// The thread that tools live on: a slow tool delays no stream, and a server that many streams use
// has one session.
class ToolThread {
public:
    // `tls` must outlive it.
    explicit ToolThread(http::UpstreamTls* tls);
    ~ToolThread();

    // Nothing runs there any more once this returns.
    void stop();
    bool stopped() const { return loop_.stopped(); }

    boost::asio::io_context& loop() { return loop_; }
    http::TaskGroup& tasks() { return tasks_; }
    http::Client& client() { return client_; }

private:
    boost::asio::io_context loop_;
    http::TaskGroup tasks_;
    http::Client client_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::jthread thread_;
};

}  // namespace runnel::tools
