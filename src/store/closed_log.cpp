#include "store/closed_log.hpp"

#include "store/frame.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runnel::store {
namespace {

// A file begins with its kind and version, and how far its entries are kept elsewhere.
constexpr std::string_view mark = "rnlclsd1";
constexpr std::size_t kept_at = 8;
constexpr std::size_t head_bytes = 64;

std::atomic_ref<std::uint64_t> kept_of(char* file) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(file + kept_at));
}

}  // namespace

struct ClosedLog::File {
    MappedFile file;
    std::size_t end = 0;  // the writer's, and the reader's once there is a successor
    std::atomic<File*> next = nullptr;

    bool has_room(std::size_t bytes) const {
        return file.size() >= bytes && end <= file.size() - bytes;
    }
};

// The first file has no bytes: the reader has a place to begin, whether or not the disk has room.
ClosedLog::ClosedLog(JournalFolder* folder, Sizes sizes)
    : folder_(folder),
      sizes_(sizes),
      current_(new File),
      oldest_(current_),
      reading_(current_) {}

ClosedLog::~ClosedLog() {
    const bool all_kept = committed_ == appended_;
    if (File* const spare = spare_) {
        folder_->remove(spare->file);
        delete spare;
    }
    for (File* file = oldest_; file != nullptr;) {
        if (all_kept) folder_->remove(file->file);
        delete std::exchange(file, file->next);
    }
}

char* ClosedLog::reserve(std::size_t bytes) {
    const std::size_t wanted = frame_bytes(bytes);
    if (!current_->has_room(wanted) && !begin_file(wanted)) {
        lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return nullptr;
    }
    reserved_ = bytes;
    return current_->file.data() + current_->end + frame_head_bytes;
}

void ClosedLog::publish() {
    publish_frame(current_->file.data() + current_->end, reserved_);
    current_->end += frame_bytes(reserved_);
    // The total order of this and of Doorbell's flag is why no entry is slept through.
    appended_.store(appended_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

bool ClosedLog::begin_file(std::size_t bytes) {
    File* next = spare_.exchange(nullptr, std::memory_order_acquire);
    if (next != nullptr && next->file.size() < head_bytes + bytes) {
        folder_->remove(next->file);
        delete std::exchange(next, nullptr);
    }
    if (next == nullptr) {
        const auto now = std::chrono::steady_clock::now();
        if (now < retry_at_) return false;
        auto made =
            folder_->make_file(closed_files_kind, std::max(sizes_.file_bytes, head_bytes + bytes));
        if (!made) {
            retry_at_ = now + sizes_.retry_time;
            return false;
        }
        next = new File{std::move(*made)};
        std::memcpy(next->file.data(), mark.data(), mark.size());
        kept_of(next->file.data()).store(head_bytes, std::memory_order_release);
    }
    next->end = head_bytes;
    current_->next.store(next, std::memory_order_release);
    current_ = next;
    return true;
}

std::optional<std::string_view> ClosedLog::take() {
    while (true) {
        File* const next = reading_->next.load(std::memory_order_acquire);
        const Frame frame = read_frame(reading_->file.bytes(), read_);
        if (frame.state == Frame::State::whole || frame.state == Frame::State::damaged) {
            read_ += frame_bytes(frame.payload.size());
            ++taken_;
            if (frame.state == Frame::State::whole) return frame.payload;
            damaged_.fetch_add(1, std::memory_order_relaxed);
            continue;
        }
        if (next == nullptr) return std::nullopt;
        reading_ = next;
        read_ = head_bytes;
    }
}

void ClosedLog::commit() {
    while (oldest_ != reading_) {
        File* const next = oldest_->next.load(std::memory_order_acquire);
        let_go(std::exchange(oldest_, next));
    }
    if (reading_->file.size() > 0)
        kept_of(reading_->file.data()).store(read_, std::memory_order_release);
    committed_.store(taken_, std::memory_order_relaxed);
}

void ClosedLog::let_go(File* file) {
    if (file->file.size() != sizes_.file_bytes ||
        spare_.load(std::memory_order_relaxed) != nullptr) {
        folder_->remove(file->file);
        delete file;
        return;
    }
    char* const data = file->file.data();
    // Until it is zeroed it says that all of it is kept, which is so.
    kept_of(data).store(file->end, std::memory_order_release);
    std::memset(data + head_bytes, 0, file->end - head_bytes);
    kept_of(data).store(head_bytes, std::memory_order_release);
    file->next.store(nullptr, std::memory_order_relaxed);
    spare_.store(file, std::memory_order_release);
}

ClosedFileReader::ClosedFileReader(std::string_view file) : file_(file), at_(file.size()) {
    if (file.size() < head_bytes || !file.starts_with(mark)) return;
    std::uint64_t kept = 0;
    std::memcpy(&kept, file.data() + kept_at, sizeof kept);
    // Bytes that were never written say nothing; then the entries speak for themselves.
    const bool is_place = kept >= head_bytes && kept <= file.size() && kept % 8 == 0;
    at_ = is_place ? kept : head_bytes;
}

std::optional<std::string_view> ClosedFileReader::next() {
    while (true) {
        const Frame frame = read_frame(file_, at_);
        if (frame.state == Frame::State::torn) ++damaged_;
        if (frame.state == Frame::State::torn || frame.state == Frame::State::none) {
            at_ = file_.size();
            return std::nullopt;
        }
        at_ += frame_bytes(frame.payload.size());
        if (frame.state == Frame::State::whole) return frame.payload;
        ++damaged_;
    }
}

}  // namespace runnel::store
