#include "storage/store_thread.hpp"

#include "storage/limits.hpp"

#include <utility>

namespace runnel::storage {
namespace {

std::unexpected<Error> refusal(std::string_view reason) {
    return fail(ErrorKind::store_unavailable, std::string(reason));
}

}  // namespace

StoreThread::StoreThread(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      thread_([this] { work(); }) {}

StoreThread::~StoreThread() { stop(); }

void StoreThread::submit(Job job) {
    if (const std::string_view refused = put_in_line(&job); !refused.empty())
        return job(refusal(refused));
    news_.notify_one();
}

// Empty where the job waits now; otherwise why it can't, and it stays the caller's.
std::string_view StoreThread::put_in_line(Job* job) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return "The store is closed: the gateway is ending.";
    if (waiting_.size() >= limits::waiting_jobs)
        return "The store is too slow for all that is asked of it. Try again later.";
    waiting_.push_back({std::move(*job), std::chrono::steady_clock::now()});
    return {};
}

void StoreThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    news_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void StoreThread::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        news_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        const bool stopped = stopped_;
        lock.unlock();
        if (stopped)
            next.job(refusal("The store is closed: the gateway is ending."));
        else if (std::chrono::steady_clock::now() - next.since > limits::waiting_time)
            next.job(refusal("The store did not come to answer in time. Try again later."));
        else
            next.job(database_.get());
        next.job = nullptr;  // what it owns goes now, not while the lock is held
        lock.lock();
    }
}

}  // namespace runnel::storage
