#include "exchange/background/background_runs.hpp"

#include "exchange/background/background_run.hpp"
#include "exchange/background/limits.hpp"

#include <fmt/format.h>

#include <utility>

namespace runnel::exchange {

Result<void> BackgroundRuns::add(std::string_view id, std::string_view owner,
                                 std::shared_ptr<BackgroundRun> run) {
    const std::lock_guard lock(mutex_);
    if (by_id_.size() >= limits::background_responses)
        return fail(ErrorKind::overloaded,
                    fmt::format("the gateway runs {} responses in the background already; try "
                                "again later, or without background",
                                limits::background_responses));
    std::size_t& count = of_owner_[std::string(owner)];
    if (count >= limits::background_responses_of_one)
        return fail(ErrorKind::concurrency_limit_exceeded,
                    fmt::format("{} of your responses run in the background already; wait for one "
                                "of them, or cancel it",
                                limits::background_responses_of_one));
    ++count;
    by_id_.insert_or_assign(std::string(id), Entry{std::string(owner), std::move(run)});
    return {};
}

void BackgroundRuns::remove(std::string_view id) {
    std::shared_ptr<BackgroundRun> gone;  // not while the lock is held
    const std::lock_guard lock(mutex_);
    const auto entry = by_id_.find(id);
    if (entry == by_id_.end()) return;
    const auto owner = of_owner_.find(entry->second.owner);
    if (owner != of_owner_.end() && --owner->second == 0) of_owner_.erase(owner);
    gone = std::move(entry->second.run);
    by_id_.erase(entry);
}

std::shared_ptr<BackgroundRun> BackgroundRuns::find(std::string_view id,
                                                    std::string_view owner) const {
    const std::lock_guard lock(mutex_);
    const auto entry = by_id_.find(id);
    return entry != by_id_.end() && entry->second.owner == owner ? entry->second.run : nullptr;
}

}  // namespace runnel::exchange
