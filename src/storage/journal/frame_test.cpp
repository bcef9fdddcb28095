#include "storage/journal/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace runnel::storage {
namespace {

using State = Frame::State;

// Frames one after the other, and what follows them.
std::string frames_of(const std::vector<std::string>& payloads, std::size_t rest) {
    std::string file;
    std::uint64_t number = 0;
    for (const std::string& payload : payloads) {
        const std::size_t at = file.size();
        file.resize(at + frame_bytes(payload.size()));
        std::memcpy(file.data() + at + frame_head_bytes, payload.data(), payload.size());
        publish_frame(file.data() + at, payload.size(), number++);
    }
    file.resize(file.size() + rest);
    return file;
}

std::vector<std::string> read(std::string_view file, State& last) {
    std::vector<std::string> found;
    for (std::size_t at = 0;;) {
        const Frame frame = read_frame(file, at);
        last = frame.state;
        if (last == State::none || last == State::torn) return found;
        if (last == State::whole) found.emplace_back(frame.payload);
        at += frame_bytes(frame.payload.size());
    }
}

const std::vector<std::string> payloads{"", "a", std::string(100, 'x'), "12345678", "end"};

TEST(Frame, IsReadAsItWasWritten) {
    for (const std::size_t rest : {0UZ, 8UZ, 100UZ}) {
        State last;
        EXPECT_EQ(read(frames_of(payloads, rest), last), payloads);
        EXPECT_EQ(last, State::none);
    }
}

TEST(Frame, IsNotThereWhenItWasCleared) {
    std::string file = frames_of({"a", "b"}, 0);
    clear_frame(file.data());
    EXPECT_EQ(read_frame(file, 0).state, State::none);
    EXPECT_EQ(read_frame(file, frame_bytes(1)).payload, "b");
}

TEST(Frame, IsWholeOrTornWhereverTheFileEnds) {
    const std::string file = frames_of(payloads, 0);
    for (std::size_t size = 0; size < file.size(); ++size) {
        State last;
        const auto found = read(std::string(file, 0, size), last);
        ASSERT_LE(found.size(), payloads.size());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), payloads.begin())) << size;
        std::size_t end = 0;
        for (const std::string& payload : found) end += frame_bytes(payload.size());
        // Zeroes are nothing; and of the last one the bytes that align the next may be missing.
        const bool nothing = end >= size || file.find_first_not_of('\0', end) >= size;
        EXPECT_EQ(last, nothing ? State::none : State::torn) << size;
    }
}

TEST(Frame, NoticesEveryBitThatIsNotAsItWas) {
    const std::string file = frames_of(payloads, 0);
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        std::string other = file;
        other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
        State last;
        const auto found = read(other, last);
        // One frame at most is lost where its length can be told; none has other bytes.
        for (const std::string& payload : found)
            EXPECT_NE(std::ranges::find(payloads, payload), payloads.end()) << bit;
        EXPECT_TRUE(found.size() + 1 >= payloads.size() || last == State::torn) << bit;
    }
}

TEST(Frame, ChecksumDependsOnEveryByteAndTheLength) {
    std::string bytes(200, 'a');
    const std::uint64_t sum = checksum(bytes);
    for (char& c : bytes) {
        c = 'b';
        EXPECT_NE(checksum(bytes), sum);
        c = 'a';
    }
    for (std::size_t size = 0; size < 100; ++size)
        EXPECT_NE(checksum(std::string(size, '\0')), checksum(std::string(size + 1, '\0')));
}

}  // namespace
}  // namespace runnel::storage
