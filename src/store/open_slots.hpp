#pragma once

#include "store/journal_folder.hpp"
#include "store/mapped_file.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace runnel::store {

// What the names of its files begin with.
inline constexpr std::string_view open_files_kind = "open";

// What is under way, on the disk: a byte string in a slot for each thing that has begun, until it
// is over. Slots are used again, the last one first, so it takes as much room as there are things
// at a time, and no more. For one thread; nobody reads it until the process is gone.
class OpenSlots {
public:
    static constexpr std::size_t slot_bytes = 512;
    static constexpr std::size_t payload_bytes_max = 496;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit OpenSlots(JournalFolder* folder) : folder_(folder) {}
    // Slots that are still in use stay.
    ~OpenSlots();
    OpenSlots(const OpenSlots&) = delete;
    OpenSlots& operator=(const OpenSlots&) = delete;

    // A free slot; none where the disk has no room for more.
    std::uint32_t reserve();
    // Where to write what it is to hold, before publish().
    char* payload(std::uint32_t slot);
    void publish(std::uint32_t slot, std::size_t bytes);
    void release(std::uint32_t slot);

private:
    char* place(std::uint32_t slot);
    bool add_file();

    JournalFolder* folder_;
    std::vector<MappedFile> files_;
    std::vector<std::uint32_t> free_;
    std::size_t in_use_ = 0;
    std::chrono::steady_clock::time_point retry_at_{};
};

// What the slots of a file hold that a process left behind. Views of the file's bytes.
std::vector<std::string_view> open_slots_of(std::string_view file);

}  // namespace runnel::store
