#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <exception>
#include <string_view>

namespace runnel::http {

// Work that ended with an exception, which is a bug or no memory: tells the log.
void log_broken(std::string_view task, const std::exception_ptr& failure);

// The one place that starts coroutines nobody awaits. A task that ends with an exception is logged
// under its name, and the others go on; whoever waits for what it does must be told by the task
// itself.
class TaskGroup {
public:
    explicit TaskGroup(boost::asio::any_io_executor executor);

    // `task` owns what it uses: its arguments were copied into its frame.
    void start(std::string_view name, boost::asio::awaitable<void> task);
    int running() const { return running_; }
    const boost::asio::any_io_executor& executor() const { return executor_; }

private:
    boost::asio::any_io_executor executor_;
    int running_ = 0;
};

}  // namespace runnel::http
