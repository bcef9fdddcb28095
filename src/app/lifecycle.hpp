#pragma once

#include "app/running_config.hpp"
#include "app/shard.hpp"
#include "http/server/shared_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <vector>

namespace runnel::app {

// What becomes of a process that serves. SIGHUP reads the config again. SIGTERM hands the port over
// to the next process, if there is one, and lets the open requests end; SIGINT only the latter; a
// second of them ends the process at once.
class Lifecycle {
public:
    // The shards listen already, and all pointers outlive it.
    Lifecycle(boost::asio::io_context* loop, RunningConfig* config,
              std::vector<std::unique_ptr<Shard>>* shards);

private:
    void wait_for_signal();
    void obey(int signal);
    void end(int signal);
    void wait_for_port();

    boost::asio::signal_set signals_;
    boost::asio::steady_timer port_timer_;
    RunningConfig* config_;
    std::vector<std::unique_ptr<Shard>>* shards_;
    http::SharedPort port_;
    bool ending_ = false;
};

}  // namespace runnel::app
