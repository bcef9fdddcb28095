#include "storage/journal/folder.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <sys/mount.h>
#include <unistd.h>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(JournalFolder, IsLockedAsLongAsItLives) {
    testing::TemporaryFolder temporary;
    fs::path path;
    {
        const auto folder = JournalFolder::create(temporary.path() / "a/journal", "own", {});
        ASSERT_TRUE(folder);
        path = (*folder)->path();
        EXPECT_FALSE(FolderLock::take(path));
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(JournalFolder, StaysWithItsFilesAndItsLockIsFreeThen) {
    testing::TemporaryFolder temporary;
    fs::path path;
    {
        const auto folder = JournalFolder::create(temporary.path(), "own", {});
        ASSERT_TRUE(folder);
        path = (*folder)->path();
        ASSERT_TRUE((*folder)->make_file("closed", 4096));
    }
    const auto lock = FolderLock::take(path);
    EXPECT_TRUE(lock);
    EXPECT_FALSE(FolderLock::take(path));
}

TEST(JournalFolder, GivesEachFileANameOfItsOwn) {
    testing::TemporaryFolder temporary;
    const auto folder = JournalFolder::create(temporary.path(), "own", {});
    ASSERT_TRUE(folder);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE((*folder)->make_file("closed", 4096));
    EXPECT_EQ((*folder)->bytes(), 3 * 4096u);
}

TEST(JournalFolder, SaysWhereItCouldNotBeMade) {
    testing::TemporaryFolder temporary;
    std::ofstream(temporary.path() / "file") << "x";
    const auto folder = JournalFolder::create(temporary.path() / "file" / "journal", "own", {});
    ASSERT_FALSE(folder);
    EXPECT_THAT(folder.error().message, HasSubstr((temporary.path() / "file").string()));
    EXPECT_THAT(folder.error().message, HasSubstr("`data`"));
}

// A disk of 256 KiB.
class SmallDisk : public ::testing::Test {
protected:
    void SetUp() override {
        if (::mount("tmpfs", temporary_.path().c_str(), "tmpfs", 0, "size=256k") != 0)
            GTEST_SKIP() << "only root may mount a small disk to fill";
        mounted_ = true;
    }
    void TearDown() override {
        if (mounted_) ::umount2(temporary_.path().c_str(), MNT_DETACH);
    }

    testing::TemporaryFolder temporary_;
    bool mounted_ = false;
};

TEST_F(SmallDisk, ThatIsFullIsAnErrorBeforeAnyByteIsWritten) {
    const auto folder = JournalFolder::create(temporary_.path(), "own", {});
    ASSERT_TRUE(folder);
    std::vector<JournalFolder::File> files;
    while (true) {
        auto file = (*folder)->make_file("closed", 64 * 1024);
        if (!file) {
            EXPECT_THAT(file.error().message, HasSubstr("No space left on device"));
            break;
        }
        files.push_back(std::move(*file));
        ASSERT_LE(files.size(), 4u);
    }
    ASSERT_GE(files.size(), 3u);
    EXPECT_EQ((*folder)->bytes(), files.size() * 64 * 1024);
    // Each byte of those that were made is there.
    for (JournalFolder::File& file : files)
        std::fill_n(file.memory.data(), file.memory.size(), 'x');
    (*folder)->remove(files.back().memory);
    files.pop_back();
    EXPECT_TRUE((*folder)->make_file("closed", 64 * 1024));
}

}  // namespace
}  // namespace runnel::storage
