#include "storage/journal/open_slots.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAreArray;

std::unique_ptr<JournalFolder> make_folder(const testing::TemporaryFolder& in,
                                           JournalFolder::Options options = {}) {
    auto folder = JournalFolder::create(in.path() / "journal", "own", std::move(options));
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
        for (const std::string_view payload : open_slots_of(bytes).payloads)
            all.emplace_back(payload);
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

std::string only_file_in(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename() == FolderLock::file_name) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    return {};
}

TEST(OpenSlots, AreCopiedToTheDiskWhileTheyStay) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    JournalDisk disk(temporary.path() / "disk", "own");
    ASSERT_TRUE(disk.be_there());
    OpenSlots slots(folder.get());
    const auto copied = [&](Copying how) {
        EXPECT_TRUE(slots.copy_to(disk, how));
        const std::string file = only_file_in(disk.path_of(""));
        if (file.empty()) return std::vector<std::string>();  // there is none
        const OpenSlotsFound found = open_slots_of(file);
        EXPECT_EQ(found.lost, 0u);
        return std::vector<std::string>(found.payloads.begin(), found.payloads.end());
    };
    const auto first = fill(slots, "a");
    EXPECT_TRUE(copied(Copying::in_a_while).empty());
    fill(slots, "b");
    EXPECT_EQ(copied(Copying::in_a_while), (std::vector<std::string>{"a"}));
    slots.release(first);
    EXPECT_EQ(copied(Copying::in_a_while), (std::vector<std::string>{"b"}));
    fill(slots, "c");
    EXPECT_EQ(copied(Copying::at_the_end), (std::vector<std::string>{"c", "b"}));
}

TEST(OpenSlots, TellOfEverythingThatDamageTakes) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    OpenSlots slots(folder.get());
    std::vector<std::string> payloads;
    for (int i = 0; i < 60; ++i) payloads.push_back(std::to_string(i) + std::string(300, 'x'));
    for (const std::string& payload : payloads) fill(slots, payload);
    const std::string whole = only_file_in(folder->path());
    std::mt19937 random(3);
    for (int round = 0; round < 400; ++round) {
        std::string file = whole;
        const auto some_block = [&] { return random() % (file.size() / 512) * 512; };
        switch (random() % 4) {
            case 0: file.resize(8 + random() % file.size()); break;
            case 1: std::memset(file.data() + some_block() / 4096 * 4096, 0, 4096); break;
            case 2: file.replace(some_block(), 512, file.substr(some_block(), 512)); break;
            default:
                for (int i = 0; i < 20; ++i)
                    file[random() % file.size()] = static_cast<char>(random());
        }
        const OpenSlotsFound found = open_slots_of(file);
        for (const std::string_view payload : found.payloads)
            ASSERT_NE(std::ranges::find(payloads, payload), payloads.end());
        ASSERT_EQ(found.payloads.size() + found.lost, payloads.size()) << "round " << round;
    }
    EXPECT_EQ(open_slots_of("").lost, 1u);
}

}  // namespace
}  // namespace runnel::storage
