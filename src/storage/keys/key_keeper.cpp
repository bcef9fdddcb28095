#include "storage/keys/key_keeper.hpp"

#include "base/log.hpp"
#include "storage/keys/keys.hpp"

#include <condition_variable>
#include <future>
#include <mutex>

namespace runnel::storage {

KeyKeeper::KeyKeeper(std::unique_ptr<Database> database, access::KeyRingBoard* board)
    : board_(board),
      thread_(std::move(database)) {}

KeyKeeper::~KeyKeeper() { ending_ = true; }

Result<void> KeyKeeper::start() {
    std::promise<Result<void>> promise;
    auto outcome = promise.get_future();
    thread_.submit([this, &promise](Result<Database*> database) {
        promise.set_value(database ? read_if_changed(**database)
                                   : Result<void>(propagate(database)));
    });
    Result<void> read = outcome.get();
    failing_ = !read.has_value();  // whoever started it tells of that
    clock_ = std::jthread([this](const std::stop_token& stop) { look_now_and_then(stop); });
    return read;
}

void KeyKeeper::look_now_and_then(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wakes_to_stop;
    std::unique_lock lock(mutex);
    while (true) {
        wakes_to_stop.wait_for(lock, stop, look_time, [] { return false; });
        if (stop.stop_requested()) return;
        if (look_is_due_.exchange(true)) continue;
        thread_.submit([this](Result<Database*> database) {
            look_is_due_ = false;
            if (database) {
                look(**database);
            } else {
                note(propagate(database));
            }
        });
    }
}

void KeyKeeper::look(Database& database) { note(read_if_changed(database)); }

Result<void> KeyKeeper::read_if_changed(Database& database) {
    auto version = keys_version(database);
    if (!version) return propagate(version);
    if (version_ == *version) return {};
    auto list = list_keys(database);
    if (!list) return propagate(list);
    board_->put(access::KeyRing(std::move(list->keys)));
    version_ = list->version;
    return {};
}

void KeyKeeper::note(const Result<void>& outcome) {
    const bool failing = !outcome.has_value();
    if (ending_) return;  // what still waits is refused, which is no news
    if (failing_.exchange(failing) == failing) return;
    if (failing) {
        log::Line(log::Level::warning, "keys can't be read; the last ones stay in use")
            .add("detail", outcome.error().message)
            .write();
    } else {
        log::Line(log::Level::info, "keys can be read again").write();
    }
}

}  // namespace runnel::storage
