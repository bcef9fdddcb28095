#include "storage/journal/recorder.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <utility>

namespace runnel::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_retry_time{100};

}  // namespace

Recorder::Recorder(Journal* journal, AppendRecords append, OnRecovered recovered, Options options)
    : options_(std::move(options)),
      journal_(journal),
      writers_(journal->writers()),
      append_(append),
      batch_(writers_, options_.batch),
      recovery_(journal->places(), append, std::move(recovered), options_.batch.rows_max),
      retry_time_(first_retry_time),
      stored_until_(Clock::now()),
      thread_(&Recorder::run, this) {}

Recorder::~Recorder() { stop(milliseconds(0)); }

void Recorder::run() {
    while (true) {
        store_closed();
        recover();
        tell_of_lost_rows();
        {
            const std::scoped_lock lock(mutex_);
            ended_ = is_over();
            progress_.notify_all();
            if (ended_) break;
        }
        rest();
    }
    tell_lost_at_ = {};  // what is not told now never is
    tell_of_lost_rows();
}

void Recorder::store_closed() {
    if (Clock::now() < retry_at_) return;
    if (batch_.empty()) batch_.gather();
    unreadable_ = batch_.unreadable();
    if (batch_.empty()) {
        check_store();
    } else {
        const auto appended = append_(batch_.records());
        if (!appended) return store_failed(appended.error());
        store_works();
        stored_ += appended->added + appended->known;
        refused_ += appended->refused;
    }
    batch_.commit();
    if (!batch_.is_full()) stored_until_ = batch_.began();
}

void Recorder::check_store() {
    if (store_is_known_ || !options_.check) return;
    const auto checked = options_.check();
    if (!checked) return store_failed(checked.error());
    store_works();
}

void Recorder::recover() {
    const auto now = Clock::now();
    if (now < recover_at_ || now < retry_at_) return;
    if (!recovery_.has_work()) {
        recovery_.look();
        journal_->disk()->set_others_bytes(recovery_.others_bytes());
    }
    // One step at a time, so that our own rows do not wait for all of another's.
    const auto stepped = recovery_.step();
    recovered_ = recovery_.rows();
    recovery_lost_ = recovery_.lost();
    if (!stepped) return store_failed(stepped.error());
    if (!recovery_.has_work()) recover_at_ = now + options_.recovery_time;
}

void Recorder::store_failed(const Error& error) {
    store_is_known_ = false;
    retry_at_ = Clock::now() + retry_time_;
    retry_time_ = std::min(2 * retry_time_, options_.retry_time_max);
    const std::scoped_lock lock(mutex_);
    if (store_error_.empty())
        log::Line(log::Level::warning, "the store takes no rows; they wait in the journal")
            .add("error", error.message)
            .write();
    store_error_ = error.message;
}

void Recorder::store_works() {
    store_is_known_ = true;
    retry_time_ = first_retry_time;
    const std::scoped_lock lock(mutex_);
    if (store_error_.empty()) return;
    log::Line(log::Level::info, "the store takes rows again").add("waiting", waiting()).write();
    store_error_.clear();
}

void Recorder::tell_of_lost_rows() {
    const auto now = Clock::now();
    const std::uint64_t all = lost();
    if (all == lost_told_ || now < tell_lost_at_) return;
    log::Line(log::Level::error, "requests are missing in the log and the ledger")
        .add("lost", all - lost_told_)
        .add("lost_since_start", all)
        .add("journal_bytes", journal_->disk()->bytes())
        .add("journal_memory_bytes", journal_->memory()->bytes())
        .write();
    lost_told_ = all;
    tell_lost_at_ = now + limits::lost_rows_log_time;
}

void Recorder::rest() {
    if (!batch_.empty() || Clock::now() < retry_at_) return wait_for_store();
    if (batch_.is_full() || (recovery_.has_work() && Clock::now() >= recover_at_)) return;
    wait_for_rows();
}

void Recorder::wait_for_store() {
    std::unique_lock lock(mutex_);
    // Whoever hurries has the store asked at once, and then as often as at first.
    const bool hurried = in_a_hurry_ > 0;
    if (hurried) retry_at_ = std::min(retry_at_, Clock::now() + first_retry_time);
    const auto until = std::min(retry_at_, stop_at_.value_or(retry_at_));
    if (hurried_.wait_until(lock, until, [&] { return !hurried && in_a_hurry_ > 0; }))
        retry_at_ = Clock::now();
}

void Recorder::wait_for_rows() {
    const auto idle_time = std::chrono::ceil<milliseconds>(recover_at_ - Clock::now());
    journal_->wakeup()->sleep(idle_time, [&] { return waiting() > 0 || in_a_hurry_ > 0; });
    if (waiting() == 0) return;
    // The first row is there: a moment for others to join it.
    std::unique_lock lock(mutex_);
    hurried_.wait_for(lock, options_.gather_time, [&] { return in_a_hurry_ > 0; });
}

void Recorder::hurry() {
    {
        const std::scoped_lock lock(mutex_);
        ++in_a_hurry_;
        hurried_.notify_all();
    }
    journal_->wakeup()->notify();
}

bool Recorder::stop(milliseconds time_max) {
    {
        const std::scoped_lock lock(mutex_);
        if (!stop_at_) stop_at_ = Clock::now() + time_max;
    }
    hurry();
    if (thread_.joinable()) thread_.join();
    return waiting() == 0;
}

bool Recorder::is_over() const { return stop_at_ && (waiting() == 0 || Clock::now() >= *stop_at_); }

bool Recorder::flush(milliseconds time_max) {
    std::vector<std::uint64_t> wanted;
    for (JournalWriter* writer : writers_) wanted.push_back(writer->closed()->appended());
    const auto is_stored = [&] {
        return std::ranges::equal(writers_, wanted, [](JournalWriter* writer, std::uint64_t rows) {
            return writer->closed()->committed() >= rows;
        });
    };
    hurry();
    std::unique_lock lock(mutex_);
    progress_.wait_for(lock, time_max, [&] { return ended_ || is_stored(); });
    --in_a_hurry_;
    return is_stored();
}

std::uint64_t Recorder::waiting() const {
    std::uint64_t rows = 0;
    for (JournalWriter* writer : writers_) {
        const std::uint64_t committed = writer->closed()->committed();
        rows += writer->closed()->appended() - committed;
    }
    return rows;
}

std::uint64_t Recorder::lost() const {
    std::uint64_t rows = refused_ + unreadable_ + recovery_lost_;
    for (JournalWriter* writer : writers_) rows += writer->closed()->lost();
    return rows;
}

Recorder::Clock::time_point Recorder::stored_until() const {
    const auto now = Clock::now();
    return waiting() == 0 ? now : stored_until_.load();
}

Recorder::Figures Recorder::figures() const {
    Figures figures{.waiting = waiting(),
                    .stored = stored_,
                    .recovered = recovered_,
                    .lost = lost(),
                    .journal_bytes = journal_->disk()->bytes(),
                    .memory_bytes = journal_->memory()->bytes(),
                    .store_is_up = store_is_known_};
    if (figures.waiting > 0)
        figures.lag = std::chrono::duration_cast<milliseconds>(Clock::now() - stored_until_.load());
    for (JournalWriter* writer : writers_) figures.unmarked += writer->unmarked();
    const std::scoped_lock lock(mutex_);
    figures.store_error = store_error_;
    return figures;
}

}  // namespace runnel::storage
