#include "http/task_group.hpp"

#include "base/log.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace runnel::http {

TaskGroup::TaskGroup(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

void TaskGroup::start(std::string_view name, boost::asio::awaitable<void> task) {
    ++running_;
    boost::asio::co_spawn(executor_, std::move(task), [this, name](std::exception_ptr failure) {
        --running_;
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            log::Line(log::Level::error, "task failed")
                .add("task", name)
                .add("error", error.what())
                .write();
        }
    });
}

}  // namespace runnel::http
