#include "store/open_slots.hpp"

#include "store/frame.hpp"

namespace runnel::store {
namespace {

constexpr std::uint32_t slots_per_file = 256;
constexpr std::size_t file_bytes = slots_per_file * OpenSlots::slot_bytes;
constexpr auto full_disk_retry_time = std::chrono::seconds(1);

static_assert(frame_bytes(OpenSlots::payload_bytes_max) == OpenSlots::slot_bytes);

}  // namespace

OpenSlots::~OpenSlots() {
    if (in_use_ > 0) return;
    for (const MappedFile& file : files_) folder_->remove(file);
}

bool OpenSlots::add_file() {
    const auto now = std::chrono::steady_clock::now();
    if (now < retry_at_) return false;
    auto file = folder_->make_file(open_files_kind, file_bytes);
    if (!file) {
        retry_at_ = now + full_disk_retry_time;
        return false;
    }
    const auto first = static_cast<std::uint32_t>(files_.size()) * slots_per_file;
    files_.push_back(std::move(*file));
    for (std::uint32_t slot = first + slots_per_file; slot-- > first;) free_.push_back(slot);
    return true;
}

std::uint32_t OpenSlots::reserve() {
    if (free_.empty() && !add_file()) return none;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    ++in_use_;
    return slot;
}

char* OpenSlots::place(std::uint32_t slot) {
    return files_[slot / slots_per_file].data() + slot % slots_per_file * slot_bytes;
}

char* OpenSlots::payload(std::uint32_t slot) { return place(slot) + frame_head_bytes; }

void OpenSlots::publish(std::uint32_t slot, std::size_t bytes) {
    publish_frame(place(slot), bytes);
}

void OpenSlots::release(std::uint32_t slot) {
    clear_frame(place(slot));
    free_.push_back(slot);
    --in_use_;
}

std::vector<std::string_view> open_slots_of(std::string_view file) {
    std::vector<std::string_view> found;
    for (std::size_t at = 0; at < file.size(); at += OpenSlots::slot_bytes) {
        const Frame frame = read_frame(file.substr(0, at + OpenSlots::slot_bytes), at);
        if (frame.state == Frame::State::whole) found.push_back(frame.payload);
    }
    return found;
}

}  // namespace runnel::store
