#include "storage/journal/copy.hpp"

#include "base/log.hpp"
#include "storage/limits.hpp"

#include <cstdint>
#include <utility>

namespace runnel::storage {

JournalCopy::JournalCopy(JournalDisk* disk, Sources sources, Copying how,
                         std::function<void()> afterwards)
    : disk_(disk),
      sources_(std::move(sources)),
      how_(how),
      afterwards_(std::move(afterwards)) {}

void JournalCopy::start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

JournalCopy::~JournalCopy() {
    thread_ = {};
    const auto done = copy(Copying::at_the_end);
    note(done);
    // Where memory ends with the process, what is not on the disk now is nowhere.
    std::uint64_t lost = 0;
    if (!done && how_ == Copying::at_once)
        for (const Source& source : sources_())
            lost += source.closed->appended() - source.closed->committed();
    if (lost > 0)
        log::Line(log::Level::error, "requests are missing in the log and the ledger")
            .add("lost", lost)
            .write();
}

void JournalCopy::run(const std::stop_token& stop) {
    const std::chrono::milliseconds pause =
        how_ == Copying::at_once ? limits::journal_quick_copy_time : limits::journal_copy_time;
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        lock.unlock();
        note(copy(how_));
        afterwards_();
        lock.lock();
        stopped_.wait_for(lock, stop, failing_ ? limits::journal_copy_time : pause,
                          [] { return false; });
    }
}

Result<void> JournalCopy::copy(Copying how) {
    if (auto there = disk_->be_there(); !there) return there;
    Result<void> outcome;
    for (const Source& source : sources_()) {
        if (auto done = source.open->copy_to(*disk_, how); !done) outcome = std::move(done);
        if (auto done = source.closed->copy_to(*disk_, how); !done) outcome = std::move(done);
    }
    return outcome;
}

void JournalCopy::note(const Result<void>& outcome) {
    const bool failing = !outcome.has_value();
    if (std::exchange(failing_, failing) == failing) return;
    if (failing)
        log::Line(log::Level::error,
                  "the journal can't be written to the disk: records wait in memory, and when that "
                  "is full they are lost")
            .add("detail", outcome.error().message)
            .write();
    else
        log::Line(log::Level::info, "the journal can be written to the disk").write();
}

}  // namespace runnel::storage
