#pragma once

#include "storage/sql/sql.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

namespace runnel::storage {

// A thread with a database, and a queue before it. Work that must not wait for each other has a
// thread each: one for keys, one for queries, one for appending.
class StoreThread {
public:
    // Is given the database, on the store's thread, or the reason why it can't be asked.
    using Job = std::move_only_function<void(Result<Database*>)>;

    explicit StoreThread(std::unique_ptr<Database> database);
    ~StoreThread();

    // Never waits. Where the queue is full or the thread has been stopped, the job is told so at
    // once, on the caller's thread; where it waited too long, on the store's.
    void submit(Job job);

    // What is under way is finished; what waits is told that it is too late.
    void stop();

private:
    struct Waiting {
        Job job;
        std::chrono::steady_clock::time_point since;
    };

    std::string_view put_in_line(Job* job);
    void work();

    std::unique_ptr<Database> database_;
    std::mutex mutex_;
    std::condition_variable news_;
    std::deque<Waiting> waiting_;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace runnel::storage
