#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// One piece of the journal as it stands in a file: a word with its length, a checksum, its number
// in the file, its bytes, and up to seven more so that the next one is aligned.
//
// The word is stored last and with release order, so whoever loads it with acquire order and finds
// it set may read the rest: that is all the synchronisation there is between the thread that writes
// and the one that reads. A process that is killed leaves its stores in memory in program order, so
// there too a word that is set has all of its bytes. The checksum, over the number too, is for what
// else happens to files: a machine that loses power, a disk that lies. The numbers tell how many
// are missing then.
namespace runnel::storage {

inline constexpr std::size_t frame_head_bytes = 24;

constexpr std::size_t frame_bytes(std::size_t payload) {
    return frame_head_bytes + (payload + 7) / 8 * 8;
}

// The frame at `at` (aligned to 8), whose payload stands behind its head already, is there from now
// on.
void publish_frame(char* at, std::size_t payload, std::uint64_t number);
void clear_frame(char* at);

struct Frame {
    enum class State {
        none,     // nothing was written here
        whole,    // and this is it
        damaged,  // its payload is not what was written; what follows it may be
        torn,     // there is no telling how long it was
    } state = State::none;
    std::string_view payload{};
    std::uint64_t number = 0;
};

// What stands at `at` (a multiple of 8) in `file`, whose own beginning is aligned to 8.
Frame read_frame(std::string_view file, std::size_t at);

std::uint64_t checksum(std::string_view bytes);

// A count that tells whether it is one: itself twice, once with all its bits turned, so that
// neither zeroes nor other bytes pass for it. `at` is aligned to 8.
void store_count(char* at, std::uint32_t count);
std::optional<std::uint32_t> load_count(const char* at);

}  // namespace runnel::storage
