#include "storage/journal/closed_log.hpp"

#include "storage/journal/frame.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <random>
#include <thread>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr ClosedLog::Sizes small_files{.file_bytes = 4096, .retry_time = 0ms};

std::unique_ptr<JournalFolder> make_folder(const testing::TemporaryFolder& in,
                                           JournalFolder::Options options = {}) {
    auto folder = JournalFolder::create(in.path() / "journal", "own", std::move(options));
    EXPECT_TRUE(folder);
    return std::move(*folder);
}

bool append(ClosedLog& log, std::string_view bytes) {
    char* const to = log.reserve(bytes.size());
    if (to == nullptr) return false;
    std::memcpy(to, bytes.data(), bytes.size());
    log.publish();
    return true;
}

std::vector<std::string> take_all(ClosedLog& log) {
    std::vector<std::string> all;
    while (const auto entry = log.take()) all.emplace_back(*entry);
    return all;
}

std::vector<std::string> read_all(std::string_view file, std::uint64_t* damaged = nullptr) {
    std::vector<std::string> all;
    ClosedFileReader reader(file);
    while (const auto entry = reader.next()) all.emplace_back(*entry);
    if (damaged != nullptr) *damaged = reader.lost();
    return all;
}

std::vector<fs::path> files_of(const JournalFolder& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        if (entry.path().filename() != FolderLock::file_name) files.push_back(entry.path());
    return files;
}

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ClosedLog, GivesEverythingBackInOrderHoweverItIsTakenAndKept) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    ClosedLog log(folder.get(), small_files);
    std::mt19937 random(1);
    std::deque<std::string> expected;
    for (int step = 0; step < 20'000; ++step) {
        switch (random() % 4) {
            case 0:
            case 1: {
                const std::string entry(random() % 500, static_cast<char>('a' + random() % 26));
                ASSERT_TRUE(append(log, entry));
                expected.push_back(entry);
                break;
            }
            case 2:
                for (int left = static_cast<int>(random() % 5); left > 0; --left) {
                    const auto entry = log.take();
                    ASSERT_EQ(entry.has_value(), !expected.empty());
                    if (!entry) break;
                    ASSERT_EQ(*entry, expected.front());
                    expected.pop_front();
                }
                break;
            default: log.commit();
        }
    }
    EXPECT_EQ(take_all(log), std::vector(expected.begin(), expected.end()));
    log.commit();
    EXPECT_EQ(log.committed(), log.appended());
    EXPECT_EQ(log.lost(), 0u);
}

TEST(ClosedLog, NeedsNoMoreThanTwoFilesWhileAllIsKeptElsewhere) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    ClosedLog log(folder.get(), small_files);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(append(log, std::string(1000, 'x')));
        take_all(log);
        log.commit();
        EXPECT_LE(files_of(*folder).size(), 2u);
    }
    EXPECT_LE(folder->bytes(), 2 * small_files.file_bytes);
}

TEST(ClosedLog, GrowsWhileNothingIsKeptElsewhereAndShrinksAfterwards) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    ClosedLog log(folder.get(), small_files);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(append(log, std::string(1000, 'x')));
    EXPECT_EQ(files_of(*folder).size(), 34u);
    EXPECT_EQ(take_all(log).size(), 100u);
    EXPECT_EQ(files_of(*folder).size(), 34u);
    log.commit();
    EXPECT_EQ(files_of(*folder).size(), 1u);
}

TEST(ClosedLog, TakesEntriesThatAreLargerThanAFile) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    ClosedLog log(folder.get(), small_files);
    const std::vector<std::string> entries{"a", std::string(100'000, 'b'), "c",
                                           std::string(5'000, 'd'), ""};
    for (int round = 0; round < 3; ++round) {
        for (const std::string& entry : entries) ASSERT_TRUE(append(log, entry));
        EXPECT_EQ(take_all(log), entries);
        log.commit();
    }
    EXPECT_LE(folder->bytes(), 2 * 100'200u);
}

TEST(ClosedLog, LosesAndCountsWhatADiskThatIsFullHasNoRoomFor) {
    testing::TemporaryFolder temporary;
    bool full = true;
    const auto folder =
        make_folder(temporary, {.allocate = [&](int file, std::size_t bytes) {
                        return full ? ENOSPC : MappedFile::allocate_blocks(file, bytes);
                    }});
    ClosedLog log(folder.get(), small_files);
    EXPECT_FALSE(append(log, "a"));
    EXPECT_FALSE(append(log, "b"));
    EXPECT_EQ(log.lost(), 2u);
    EXPECT_TRUE(files_of(*folder).empty());
    EXPECT_EQ(folder->bytes(), 0u);
    full = false;
    EXPECT_TRUE(append(log, "c"));
    full = true;
    EXPECT_TRUE(append(log, "d"));  // its blocks are there
    EXPECT_FALSE(append(log, std::string(4096, 'e')));
    EXPECT_TRUE(append(log, "f"));
    EXPECT_EQ(take_all(log), (std::vector<std::string>{"c", "d", "f"}));
    EXPECT_EQ(log.lost(), 3u);
}

TEST(ClosedLog, DoesNotAskAFullDiskForEveryEntry) {
    testing::TemporaryFolder temporary;
    int asked = 0;
    const auto folder = make_folder(temporary, {.allocate = [&](int, std::size_t) {
                                        ++asked;
                                        return ENOSPC;
                                    }});
    ClosedLog log(folder.get(), {.file_bytes = 4096, .retry_time = 1h});
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(append(log, "a"));
    EXPECT_EQ(asked, 1);
}

TEST(ClosedLog, KeepsWithinWhatItMayTakeOfMemory) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary, {.bytes_max = 3 * 4096});
    ClosedLog log(folder.get(), small_files);
    int kept = 0;
    for (int i = 0; i < 100; ++i) kept += append(log, std::string(1000, 'x')) ? 1 : 0;
    EXPECT_EQ(kept, 9);
    EXPECT_EQ(log.lost(), 91u);
    take_all(log);
    log.commit();
    EXPECT_TRUE(append(log, std::string(1000, 'x')));
}

TEST(ClosedLog, HandsEntriesFromOneThreadToAnother) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    ClosedLog log(folder.get(), small_files);
    constexpr std::uint64_t count = 30'000;
    std::jthread writer([&] {
        for (std::uint64_t i = 0; i < count; ++i)
            append(log, std::to_string(i) + std::string(i % 100, '.'));
    });
    for (std::uint64_t i = 0; i < count;) {
        const auto entry = log.take();
        if (entry) {
            ASSERT_EQ(*entry, std::to_string(i) + std::string(i % 100, '.'));
            ++i;
        }
        if (i % 50 == 0) log.commit();
    }
    writer.join();
    log.commit();
    EXPECT_EQ(log.appended(), count);
    EXPECT_EQ(log.committed(), count);
}

TEST(ClosedLog, LeavesOnTheDiskWhatIsNotKeptElsewhere) {
    testing::TemporaryFolder temporary;
    const auto folder = make_folder(temporary);
    {
        ClosedLog log(folder.get(), small_files);
        for (const char* entry : {"a", "b", "c"}) append(log, entry);
        log.take();
        log.commit();
    }
    const auto left = files_of(*folder);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(read_all(content_of(left[0])), (std::vector<std::string>{"b", "c"}));
}

TEST(ClosedLog, LeavesNothingWhenAllIsKept) {
    testing::TemporaryFolder temporary;
    {
        const auto folder = make_folder(temporary);
        ClosedLog log(folder.get(), small_files);
        for (int i = 0; i < 20; ++i) append(log, std::string(1000, 'x'));
        take_all(log);
        log.commit();
    }
    EXPECT_TRUE(fs::is_empty(temporary.path() / "journal"));
}

class ClosedFile : public ::testing::Test {
protected:
    ClosedFile() {
        const auto folder = make_folder(temporary_);
        ClosedLog log(folder.get(), {.file_bytes = 512});
        for (const std::string& entry : entries_) append(log, entry);
        file_ = content_of(files_of(*folder).front());
    }

    const std::vector<std::string> entries_{"one", std::string(50, '2'), "", "four"};
    testing::TemporaryFolder temporary_;
    std::string file_;
};

TEST_F(ClosedFile, IsReadUpToAnyByteWhereItEnds) {
    for (std::size_t size = 64; size <= file_.size(); ++size) {
        std::uint64_t lost = 0;
        const auto found = read_all(std::string(file_, 0, size), &lost);
        ASSERT_EQ(found.size() + lost, entries_.size()) << size;
        EXPECT_TRUE(std::equal(found.begin(), found.end(), entries_.begin()));
        std::size_t end = 64;
        for (std::size_t i = 0; i < found.size(); ++i) end += frame_bytes(entries_[i].size());
        if (found.size() < entries_.size())
            EXPECT_LT(size, end + frame_head_bytes + entries_[found.size()].size());
    }
}

TEST_F(ClosedFile, LosesOneEntryToAByteThatIsWrong) {
    for (std::size_t at = 0; at < file_.size(); ++at) {
        std::string other = file_;
        other[at] = static_cast<char>(~other[at]);
        std::uint64_t damaged = 0;
        const auto found = read_all(other, &damaged);
        for (const std::string& entry : found)
            EXPECT_NE(std::ranges::find(entries_, entry), entries_.end());
        EXPECT_GE(found.size(), entries_.size() - 1) << at;
        EXPECT_EQ(found.size() + damaged, entries_.size()) << at;
    }
}

TEST_F(ClosedFile, IsNothingWhenItIsSomethingElse) {
    std::uint64_t lost = 0;
    EXPECT_TRUE(read_all(std::string(4096, '\0'), &lost).empty());
    EXPECT_EQ(lost, 0u);
    // Something was there; nobody knows how much.
    EXPECT_TRUE(read_all("", &lost).empty());
    EXPECT_EQ(lost, 1u);
    EXPECT_TRUE(read_all(std::string(4096, 'x'), &lost).empty());
    EXPECT_EQ(lost, 1u);
}

TEST_F(ClosedFile, IsReadToItsEndWhereNobodyKnowsHowManyItHolds) {
    std::memset(file_.data(), 0, closed_head_bytes);
    std::memset(file_.data() + file_.size() - 16, 0, 16);
    EXPECT_EQ(read_all(file_), entries_);
    // Nor does one that is damaged hide those behind it.
    file_[closed_head_bytes] = '!';
    std::uint64_t lost = 0;
    EXPECT_EQ(read_all(file_, &lost).size(), entries_.size() - 1);
    EXPECT_EQ(lost, 1u);
}

// Blocks that are zeroed, torn off, written over and written twice, bytes that are wrong: what is
// read is what was written, and what is not read is told of.
TEST(ClosedFiles, TellOfEverythingThatDamageTakes) {
    std::mt19937 random(11);
    const auto below = [&](std::size_t bound) { return random() % bound; };
    for (int round = 0; round < 400; ++round) {
        testing::TemporaryFolder temporary;
        const auto folder = make_folder(temporary);
        std::vector<std::string> entries;
        std::string file;
        {
            ClosedLog log(folder.get(), {.file_bytes = 32'768});
            for (std::size_t left = 1 + below(20); left > 0; --left)
                entries.push_back(std::to_string(left) +
                                  std::string(below(1500), static_cast<char>('a' + below(26))));
            for (const std::string& entry : entries) append(log, entry);
            file = content_of(files_of(*folder).front());
        }
        constexpr std::size_t block = 512;
        const auto some_block = [&] { return below(file.size() / block) * block; };
        switch (below(5)) {
            case 0: file.resize(64 + below(file.size() - 64)); break;
            case 1:
                for (std::size_t left = 1 + below(8); left > 0; --left)
                    std::memset(file.data() + some_block(), 0, block);
                break;
            case 2:
                for (std::size_t left = 1 + below(8); left > 0; --left)
                    file.replace(some_block(), block, file.substr(some_block(), block));
                break;
            case 3: file.insert(some_block(), file.substr(some_block(), block)); break;
            default:
                for (std::size_t left = 1 + below(30); left > 0; --left)
                    file[below(file.size())] = static_cast<char>(below(256));
        }
        std::uint64_t lost = 0;
        const auto found = read_all(file, &lost);
        for (const std::string& entry : found)
            ASSERT_NE(std::ranges::find(entries, entry), entries.end());
        ASSERT_GE(found.size() + lost, entries.size()) << "round " << round;
    }
}

// What waits for the store is on the disk, and memory has no more than it needs.
class CopiedLog : public ::testing::Test {
protected:
    CopiedLog() { EXPECT_TRUE(disk_.be_there()); }

    std::string text(int number) const {
        return std::to_string(number) + std::string(static_cast<std::size_t>(number % 900), '.');
    }
    std::vector<std::string> on_the_disk() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(disk_.path_of("")))
            if (entry.path().filename() != FolderLock::file_name)
                for (std::string& one : read_all(content_of(entry.path())))
                    all.push_back(std::move(one));
        std::ranges::sort(all);
        return all;
    }

    testing::TemporaryFolder temporary_;
    std::unique_ptr<JournalFolder> folder_ = make_folder(temporary_, {.bytes_max = 64 * 1024});
    JournalDisk disk_{temporary_.path() / "disk", "own"};
    ClosedLog log_{folder_.get(), small_files};
};

TEST_F(CopiedLog, HoldsMoreThanMemoryHasRoomForAndGivesItBackInOrder) {
    std::vector<std::string> entries;
    for (int i = 0; i < 1000; ++i) {
        entries.push_back(text(i));
        ASSERT_TRUE(append(log_, entries.back())) << i;
        if (i % 20 == 0) ASSERT_TRUE(log_.copy_to(disk_, Copying::at_once));
    }
    EXPECT_GT(disk_.bytes(), 4 * 64 * 1024u);
    EXPECT_EQ(take_all(log_), entries);
    log_.commit();
    ASSERT_TRUE(log_.copy_to(disk_, Copying::at_the_end));
    EXPECT_EQ(disk_.bytes(), 0u);
    EXPECT_EQ(log_.lost(), 0u);
}

TEST_F(CopiedLog, CopiesWhatTheStoreDidNotTakeInAWhile) {
    append(log_, "kept");
    ASSERT_TRUE(log_.copy_to(disk_, Copying::in_a_while));
    take_all(log_);
    log_.commit();
    append(log_, "waits");
    ASSERT_TRUE(log_.copy_to(disk_, Copying::in_a_while));
    EXPECT_TRUE(on_the_disk().empty());
    append(log_, "is new");
    ASSERT_TRUE(log_.copy_to(disk_, Copying::in_a_while));
    EXPECT_EQ(on_the_disk(), (std::vector<std::string>{"waits"}));
    ASSERT_TRUE(log_.copy_to(disk_, Copying::at_the_end));
    EXPECT_EQ(on_the_disk(), (std::vector<std::string>{"is new", "waits"}));
}

TEST_F(CopiedLog, LosesRowsOnlyWhenNeitherMemoryNorDiskHaveRoom) {
    JournalDisk full(temporary_.path() / "full", "own", 0);
    ASSERT_TRUE(full.be_there());
    std::vector<std::string> entries;
    while (append(log_, std::string(1000, 'x'))) {
        entries.emplace_back(1000, 'x');
        EXPECT_FALSE(log_.copy_to(full, Copying::at_once));
    }
    EXPECT_EQ(log_.lost(), 1u);
    EXPECT_EQ(take_all(log_), entries);
    log_.commit();
    EXPECT_TRUE(append(log_, "again"));
}

TEST_F(CopiedLog, IsTakenAndCopiedAtTheSameTime) {
    std::atomic<bool> done = false;
    std::jthread writer([&] {
        for (int i = 0; i < 5000;) i += append(log_, text(i)) ? 1 : 0;
        done = true;
    });
    std::jthread copier([&] {
        while (!done) ASSERT_TRUE(log_.copy_to(disk_, Copying::at_once));
    });
    for (int i = 0; i < 5000;) {
        const auto entry = log_.take();
        if (entry) ASSERT_EQ(*entry, text(i++));
        if (i % 50 == 0) log_.commit();
    }
}

}  // namespace
}  // namespace runnel::storage
