#include "storage/journal/frame.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace runnel::storage {
namespace {

using Word = std::uint64_t;

Word word_of(std::uint32_t length) { return Word{length} | Word{~length} << 32; }

std::atomic_ref<Word> word_at(const char* at) {
    // Reading does not change what is there, but atomic_ref has no form that says so.
    return std::atomic_ref(*reinterpret_cast<Word*>(const_cast<char*>(at)));
}

Word load(const char* from, std::size_t count = sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, from, count);
    return word;
}

constexpr Word odd = 0x9E3779B97F4A7C15;

// For a given `lane` no two words lead to the same result, so no single change goes unnoticed.
Word mixed(Word lane, Word word) { return std::rotl((lane ^ word) * odd, 29); }

Word sum_of(std::string_view payload, Word number) { return mixed(checksum(payload), number); }

}  // namespace

// Four lanes, because each step waits for the multiplication of the one before.
std::uint64_t checksum(std::string_view bytes) {
    Word lanes[4] = {bytes.size(), 1, 2, 3};
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= sizeof lanes; left -= sizeof lanes)
        for (Word& lane : lanes) {
            lane = mixed(lane, load(at));
            at += sizeof(Word);
        }
    for (; left >= sizeof(Word); left -= sizeof(Word), at += sizeof(Word))
        lanes[0] = mixed(lanes[0], load(at));
    if (left > 0) lanes[0] = mixed(lanes[0], load(at, left));
    return mixed(mixed(mixed(lanes[0], lanes[1]), lanes[2]), lanes[3]);
}

void publish_frame(char* at, std::size_t payload, std::uint64_t number) {
    const Word sum = sum_of({at + frame_head_bytes, payload}, number);
    std::memcpy(at + sizeof(Word), &sum, sizeof sum);
    std::memcpy(at + 2 * sizeof(Word), &number, sizeof number);
    store_count(at, static_cast<std::uint32_t>(payload));
}

void store_count(char* at, std::uint32_t count) {
    word_at(at).store(word_of(count), std::memory_order_release);
}

std::optional<std::uint32_t> load_count(const char* at) {
    const Word word = word_at(at).load(std::memory_order_acquire);
    const auto count = static_cast<std::uint32_t>(word);
    return word == word_of(count) ? std::optional(count) : std::nullopt;
}

void clear_frame(char* at) { word_at(at).store(0, std::memory_order_release); }

Frame read_frame(std::string_view file, std::size_t at) {
    using State = Frame::State;
    if (at >= file.size()) return {};
    const std::size_t left = file.size() - at;
    // None begins where there is no room for its head; what is there was cut.
    const Word word = left < frame_head_bytes
                          ? load(file.data() + at, std::min(left, sizeof(Word)))
                          : word_at(file.data() + at).load(std::memory_order_acquire);
    if (word == 0) return {};
    if (left < frame_head_bytes) return {State::torn};
    const auto length = static_cast<std::uint32_t>(word);
    if (word != word_of(length) || left - frame_head_bytes < length) return {State::torn};
    const std::string_view payload = file.substr(at + frame_head_bytes, length);
    const Word number = load(file.data() + at + 2 * sizeof(Word));
    const bool intact = load(file.data() + at + sizeof(Word)) == sum_of(payload, number);
    return {intact ? State::whole : State::damaged, payload, number};
}

}  // namespace runnel::storage
