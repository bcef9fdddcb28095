#include "http/task_group.hpp"

#include "base/log.hpp"

#include <boost/asio/co_spawn.hpp>

namespace runnel::http {

void log_broken(std::string_view task, const std::exception_ptr& failure) {
    std::string what = "an exception that says nothing";
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        what = error.what();
    } catch (...) {  // NOLINT(bugprone-empty-catch): there is no more to know
    }
    log::Line(log::Level::error, "task failed").add("task", task).add("error", what).write();
}

TaskGroup::TaskGroup(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

void TaskGroup::start(std::string_view name, boost::asio::awaitable<void> task) {
    ++running_;
    boost::asio::co_spawn(executor_, std::move(task),
                          [this, name](const std::exception_ptr& failure) {
                              --running_;
                              if (failure) log_broken(name, failure);
                          });
}

}  // namespace runnel::http
