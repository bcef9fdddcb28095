#include "storage/journal/closed_batch.hpp"

#include <utility>

namespace runnel::storage {

ClosedBatch::ClosedBatch(std::vector<JournalWriter*> writers, Size size)
    : writers_(std::move(writers)),
      size_(size) {}

void ClosedBatch::gather() {
    began_ = Clock::now();
    is_full_ = false;
    for (std::size_t i = 0; i < writers_.size() && !is_full_; ++i)
        take_from(writers_[(first_ + i) % writers_.size()]->closed());
    ++first_;
}

void ClosedBatch::take_from(ClosedLog* log) {
    while (true) {
        is_full_ = records_.size() >= size_.rows_max || bytes_ >= size_.bytes_max;
        if (is_full_) return;
        const auto entry = log->take();
        if (!entry) return;
        auto record = read_closing(*entry);
        if (record) {
            records_.push_back(std::move(*record));
            bytes_ += entry->size();
        } else {
            ++unreadable_;
        }
    }
}

void ClosedBatch::commit() {
    for (JournalWriter* writer : writers_) writer->closed()->commit();
    records_.clear();
    bytes_ = 0;
}

}  // namespace runnel::storage
