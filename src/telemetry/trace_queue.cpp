#include "telemetry/trace_queue.hpp"

#include "base/release.hpp"
#include "telemetry/otlp.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace runnel::telemetry {

void TraceQueue::add(RequestRecord record) {
    const std::size_t spans = span_count(record);
    // The client's own, as long as it likes, and no part of a span.
    release(record.metadata_json);
    {
        const std::scoped_lock lock(mutex_);
        if (waiting_.size() < requests_max_) {
            waiting_.push_back(std::move(record));
            return;
        }
    }
    note_dropped(spans);
}

std::vector<RequestRecord> TraceQueue::take(std::size_t requests_max) {
    const std::scoped_lock lock(mutex_);
    const auto count = static_cast<std::ptrdiff_t>(std::min(requests_max, waiting_.size()));
    const auto end = waiting_.begin() + count;
    std::vector<RequestRecord> taken(std::make_move_iterator(waiting_.begin()),
                                     std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return taken;
}

TraceQueue::Figures TraceQueue::figures() const {
    const std::scoped_lock lock(mutex_);
    return {waiting_.size(), sent_, dropped_};
}

}  // namespace runnel::telemetry
