#include "storage/journal/memory.hpp"

#include "storage/journal/journal.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <sys/stat.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;

TEST(JournalMemory, IsOneFolderForEachJournalAndOnlyItsOwnersUntilTheLastOneLeaves) {
    testing::TemporaryFolder temporary;
    const auto memory = journal_memory_of(temporary.path() / "a" / "journal");
    if (!memory) GTEST_SKIP() << "there is no room in /dev/shm";
    const auto other = journal_memory_of(temporary.path() / "b" / "journal");
    ASSERT_TRUE(other);
    EXPECT_NE(memory->folder, other->folder);
    EXPECT_EQ(journal_memory_of(temporary.path() / "a" / "." / "journal")->folder, memory->folder);
    EXPECT_TRUE(is_own_folder(memory->folder));
    leave_journal_memory(other->folder);
    EXPECT_FALSE(fs::exists(other->folder));
    {
        const auto first = Journal::open(temporary.path() / "a" / "journal", {});
        EXPECT_EQ(first->places().memory, memory->folder);
        leave_journal_memory(memory->folder);
        EXPECT_TRUE(fs::exists(memory->folder));
    }
    EXPECT_FALSE(fs::exists(memory->folder));
}

TEST(JournalMemory, IsNotSharedWithThoseWhoMayLookIntoIt) {
    testing::TemporaryFolder temporary;
    const fs::path folder = temporary.path() / "folder";
    fs::create_directory(folder);
    ::chmod(folder.c_str(), 0750);
    EXPECT_FALSE(is_own_folder(folder));
    ::chmod(folder.c_str(), 0700);
    EXPECT_TRUE(is_own_folder(folder));
    fs::create_directory_symlink(folder, temporary.path() / "link");
    EXPECT_FALSE(is_own_folder(temporary.path() / "link"));
    EXPECT_FALSE(is_own_folder(temporary.path() / "nothing"));
}

}  // namespace
}  // namespace runnel::storage
