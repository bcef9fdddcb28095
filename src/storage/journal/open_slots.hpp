#pragma once

#include "storage/journal/closed_log.hpp"
#include "storage/journal/disk.hpp"
#include "storage/journal/folder.hpp"
#include "storage/journal/mapped_file.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::storage {

// What the names of its files begin with.
inline constexpr std::string_view open_files_kind = "open";

// What is under way: a byte string in a slot for each thing that has begun, until it is over. Slots
// are used again, the last one first, so it takes as much room as there are things at a time, and
// no more. For one thread; another copies it to the disk, and other processes look at it.
class OpenSlots {
public:
    static constexpr std::size_t slot_bytes = 512;
    static constexpr std::size_t payload_bytes_max = 488;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit OpenSlots(JournalFolder* folder) : folder_(folder) {}
    // Slots that are still in use stay.
    ~OpenSlots();
    OpenSlots(const OpenSlots&) = delete;
    OpenSlots& operator=(const OpenSlots&) = delete;

    // A free slot; none where there is no room for more.
    std::uint32_t reserve();
    // Where to write what it is to hold, before publish().
    char* payload(std::uint32_t slot);
    void publish(std::uint32_t slot, std::size_t bytes);
    void release(std::uint32_t slot);

    // By the thread that copies. Of what is under way for a moment only, the disk need not know.
    Result<void> copy_to(JournalDisk& disk, Copying how);

private:
    struct File {
        MappedFile memory;
        std::string name;
        std::uint32_t in_use = 0;
        // The copier's: as it was when last looked at, and as it is on the disk.
        std::string seen{};
        std::string copied{};
    };

    File& file_of(std::uint32_t slot);
    char* place(std::uint32_t slot);
    bool add_file();
    static Result<void> copy(File& file, JournalDisk& disk, Copying how);

    JournalFolder* folder_;
    std::mutex mutex_;  // for the list when it grows and when the other thread reads it
    std::deque<File> files_;
    std::vector<std::uint32_t> free_;
    std::size_t in_use_ = 0;
    std::chrono::steady_clock::time_point retry_at_{};
};

// What the slots of a file hold. Views of the file's bytes.
struct OpenSlotsFound {
    std::vector<std::string_view> payloads{};
    std::uint64_t lost = 0;  // were in use, and can't be read
};
OpenSlotsFound open_slots_of(std::string_view file);

// A copy of slots while somebody else writes to them: each as it is at some moment, or empty.
std::string steady_copy_of_slots(std::string_view file);

}  // namespace runnel::storage
