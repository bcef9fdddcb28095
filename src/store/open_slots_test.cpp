#include "store/open_slots.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

namespace runnel::store {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAreArray;

std::unique_ptr<JournalFolder> make_folder(const testing::TemporaryFolder& in,
                                           JournalFolder::Options options = {}) {
    auto folder = JournalFolder::create(in.path() / "journal", std::move(options));
    EXPECT_TRUE(folder);
    return std::move(*folder);
}

std::uint32_t fill(OpenSlots& slots, std::string_view bytes) {
    const std::uint32_t slot = slots.reserve();
    if (slot == OpenSlots::none) return slot;
    std::memcpy(slots.payload(slot), bytes.data(), bytes.size());
    slots.publish(slot, bytes.size());
    return slot;
}

std::vector<std::string> on_the_disk(const JournalFolder& folder) {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (entry.path().filename() == FolderLock::file_name) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        for (const std::string_view payload : open_slots_of(bytes)) all.emplace_back(payload);
    }
    return all;
}

TEST(OpenSlots, HoldWhatIsOpenAndNothingElse) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    OpenSlots slots(folder.get());
    std::map<std::uint32_t, std::string> open;
    std::mt19937 random(1);
    for (int step = 0; step < 3000; ++step) {
        if (open.empty() || random() % 5 < 3) {
            const std::string bytes =
                std::to_string(step) +
                std::string(random() % 400, static_cast<char>('a' + step % 26));
            open.emplace(fill(slots, bytes), bytes);
        } else {
            const auto some = std::next(open.begin(), static_cast<long>(random() % open.size()));
            slots.release(some->first);
            open.erase(some);
        }
    }
    std::vector<std::string> expected;
    for (const auto& [slot, bytes] : open) expected.push_back(bytes);
    EXPECT_GT(expected.size(), 256u);
    EXPECT_THAT(on_the_disk(*folder), UnorderedElementsAreArray(expected));
}

TEST(OpenSlots, TakeAsMuchRoomAsThereAreThingsAtATime) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    OpenSlots slots(folder.get());
    for (int i = 0; i < 10'000; ++i) slots.release(fill(slots, "a"));
    EXPECT_EQ(folder->bytes(), 256 * OpenSlots::slot_bytes);
}

TEST(OpenSlots, AreRefusedByADiskThatIsFull) {
    testing::TemporaryFolder temporary;
    const auto folder =
        make_folder(temporary, {.allocate = [](int, std::size_t) { return ENOSPC; }});
    OpenSlots slots(folder.get());
    EXPECT_EQ(slots.reserve(), OpenSlots::none);
    EXPECT_EQ(slots.reserve(), OpenSlots::none);
}

TEST(OpenSlots, StayOnTheDiskOnlyWhileSomethingIsOpen) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    {
        OpenSlots slots(folder.get());
        slots.release(fill(slots, "a"));
    }
    EXPECT_EQ(folder->bytes(), 0u);
    {
        OpenSlots slots(folder.get());
        fill(slots, "b");
    }
    EXPECT_THAT(on_the_disk(*folder), ::testing::ElementsAre("b"));
}

}  // namespace
}  // namespace runnel::store
