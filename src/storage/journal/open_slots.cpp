#include "storage/journal/open_slots.hpp"

#include "storage/journal/frame.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runnel::storage {
namespace {

// The first and the last slot say how many of the others are in use.
constexpr std::uint32_t slots_per_file = 256;
constexpr std::uint32_t slots_in_use_max = slots_per_file - 2;
constexpr std::size_t file_bytes = slots_per_file * OpenSlots::slot_bytes;
constexpr std::size_t last_slot_at = file_bytes - OpenSlots::slot_bytes;
constexpr auto full_retry_time = std::chrono::seconds(1);

static_assert(frame_bytes(OpenSlots::payload_bytes_max) == OpenSlots::slot_bytes);

void store_in_use(char* file, std::uint32_t count) {
    store_count(file, count);
    store_count(file + last_slot_at, count);
}

// Reads what another thread, or another process, may be writing: whoever uses the copy checks it by
// its checksum.
__attribute__((no_sanitize("thread"))) void copy_words(char* to, const char* from,
                                                       std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
        const auto word = *reinterpret_cast<const volatile std::uint64_t*>(from + at);
        std::memcpy(to + at, const_cast<const std::uint64_t*>(&word), sizeof word);
    }
}

}  // namespace

OpenSlots::~OpenSlots() {
    if (in_use_ > 0) return;
    for (const File& file : files_) folder_->remove(file.memory);
}

bool OpenSlots::add_file() {
    const auto now = std::chrono::steady_clock::now();
    if (now < retry_at_) return false;
    auto made = folder_->make_file(open_files_kind, file_bytes);
    if (!made) {
        retry_at_ = now + full_retry_time;
        return false;
    }
    store_in_use(made->memory.data(), 0);
    const auto first = static_cast<std::uint32_t>(files_.size()) * slots_per_file + 1;
    {
        const std::scoped_lock lock(mutex_);
        files_.push_back({std::move(made->memory), std::move(made->name)});
    }
    for (std::uint32_t slot = first + slots_in_use_max; slot-- > first;) free_.push_back(slot);
    return true;
}

std::uint32_t OpenSlots::reserve() {
    if (free_.empty() && !add_file()) return none;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    ++in_use_;
    return slot;
}

OpenSlots::File& OpenSlots::file_of(std::uint32_t slot) { return files_[slot / slots_per_file]; }

char* OpenSlots::place(std::uint32_t slot) {
    return file_of(slot).memory.data() + slot % slots_per_file * slot_bytes;
}

char* OpenSlots::payload(std::uint32_t slot) { return place(slot) + frame_head_bytes; }

// The count is never too high, whenever the process is killed.
void OpenSlots::publish(std::uint32_t slot, std::size_t bytes) {
    publish_frame(place(slot), bytes, slot % slots_per_file);
    File& file = file_of(slot);
    store_in_use(file.memory.data(), ++file.in_use);
}

void OpenSlots::release(std::uint32_t slot) {
    File& file = file_of(slot);
    // One that was reserved need not have been published.
    if (load_count(place(slot))) store_in_use(file.memory.data(), --file.in_use);
    clear_frame(place(slot));
    free_.push_back(slot);
    --in_use_;
}

Result<void> OpenSlots::copy_to(JournalDisk& disk, Copying how) {
    std::vector<File*> files;
    {
        const std::scoped_lock lock(mutex_);
        for (File& file : files_) files.push_back(&file);
    }
    for (File* file : files)
        if (auto done = copy(*file, disk, how); !done) return done;
    return {};
}

Result<void> OpenSlots::copy(File& file, JournalDisk& disk, Copying how) {
    const std::string now = steady_copy_of_slots(file.memory.bytes());
    std::string wanted = now;
    std::uint32_t in_use = 0;
    for (std::size_t at = slot_bytes; at < last_slot_at; at += slot_bytes) {
        const auto slot = std::string_view(now).substr(at, slot_bytes);
        const bool is_old =
            !file.seen.empty() && std::string_view(file.seen).substr(at, slot_bytes) == slot;
        if (how == Copying::in_a_while && !is_old) std::memset(wanted.data() + at, 0, slot_bytes);
        if (load_count(wanted.data() + at)) ++in_use;
    }
    file.seen = now;
    store_in_use(wanted.data(), in_use);
    if (in_use == 0 && file.copied.empty()) return {};
    if (in_use == 0 && how == Copying::at_the_end) {
        disk.remove(file.name);
        return {};
    }
    std::string& copied = file.copied;
    copied.resize(wanted.size());
    const auto is_as_it_was = [&](std::size_t at) {
        return std::string_view(copied).substr(at, slot_bytes) ==
               std::string_view(wanted).substr(at, slot_bytes);
    };
    for (std::size_t at = 0; at < wanted.size();) {
        std::size_t end = at;
        while (end < wanted.size() && !is_as_it_was(end)) end += slot_bytes;
        if (end == at) {
            at += slot_bytes;
            continue;
        }
        const auto changed = std::string_view(wanted).substr(at, end - at);
        if (auto done = disk.write(file.name, at, changed); !done) return done;
        copied.replace(at, changed.size(), changed);
        at = end;
    }
    return {};
}

std::string steady_copy_of_slots(std::string_view file) {
    std::string copy(file.size() / 8 * 8, '\0');
    copy_words(copy.data(), file.data(), copy.size());
    for (std::size_t at = OpenSlots::slot_bytes; at + 2 * OpenSlots::slot_bytes <= copy.size();
         at += OpenSlots::slot_bytes) {
        const auto slot = std::string_view(copy).substr(at, OpenSlots::slot_bytes);
        if (read_frame(slot, 0).state != Frame::State::whole)
            std::memset(copy.data() + at, 0, OpenSlots::slot_bytes);
    }
    return copy;
}

OpenSlotsFound open_slots_of(std::string_view file) {
    OpenSlotsFound found;
    std::uint64_t unreadable = 0;
    for (std::size_t at = OpenSlots::slot_bytes; at < std::min(file.size(), last_slot_at);
         at += OpenSlots::slot_bytes) {
        const Frame frame = read_frame(file.substr(0, at + OpenSlots::slot_bytes), at);
        if (frame.state == Frame::State::none) continue;
        // One that stands where it does not belong took another's place.
        if (frame.state == Frame::State::whole && frame.number == at / OpenSlots::slot_bytes)
            found.payloads.push_back(frame.payload);
        else
            ++unreadable;
    }
    std::optional<std::uint32_t> in_use;
    if (file.size() >= 8) in_use = load_count(file.data());
    if (!in_use && file.size() >= last_slot_at + 8) in_use = load_count(file.data() + last_slot_at);
    const std::uint64_t read = found.payloads.size();
    // Where the count is known, what stands in slots that were not in use is nobody's.
    found.lost = in_use ? *in_use - std::min<std::uint64_t>(*in_use, read) : unreadable;
    // Something was there; nobody knows how much.
    if (!in_use && file.size() < file_bytes) found.lost = std::max<std::uint64_t>(found.lost, 1);
    return found;
}

}  // namespace runnel::storage
