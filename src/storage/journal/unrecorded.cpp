#include "storage/journal/unrecorded.hpp"

#include "base/limits.hpp"
#include "base/log.hpp"

namespace runnel::storage {

void Unrecorded::add(Time now) {
    const std::uint64_t all = count_.fetch_add(1, std::memory_order_relaxed) + 1;
    Time tell_at = tell_at_.load(std::memory_order_relaxed);
    if (now < tell_at) return;
    // One of those who come at the same moment.
    if (!tell_at_.compare_exchange_strong(tell_at, now + limits::lost_rows_log_time,
                                          std::memory_order_relaxed))
        return;
    log::Line(log::Level::error, "requests are missing in the log and the ledger")
        .add("lost_since_start", all)
        .write();
}

}  // namespace runnel::storage
