#include "storage/journal/recovery.hpp"

#include "storage/journal/journal.hpp"
#include "support/journals.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace runnel::storage {
namespace {

namespace fs = std::filesystem;
using testing::finished_request;
using testing::in_a_process_that_dies;
using testing::some_opening;

class RecoveryOf : public ::testing::Test {
protected:
    RecoveryOf() : own_(Journal::open(path(), testing::journal_options())) {}

    fs::path path() const { return temporary_.path() / "journal"; }

    Recovery recovery() {
        return Recovery(
            own_->places(), store_.append(),
            [this](const Opening& opening, const Record& record) {
                told_.insert(std::string(opening.claim_id) + " " + record.entry_id + " " +
                             record.error);
            },
            2);
    }

    static void run(Recovery& recovery) {
        recovery.look();
        while (recovery.has_work()) ASSERT_TRUE(recovery.step());
    }

    std::size_t folders() const { return own_->places().others().size() + 1; }

    testing::TemporaryFolder temporary_;
    std::unique_ptr<Journal> own_;
    testing::MemoryStore store_;
    std::multiset<std::string> told_;
};

// Five that are closed, and two that are under way.
void leave_something(const fs::path& path) {
    in_a_process_that_dies([&] {
        const auto journal = Journal::open(path, testing::journal_options({.file_bytes = 4096}));
        JournalWriter* const first = journal->add_writer();
        JournalWriter* const second = journal->add_writer();
        for (const char* id : {"a", "b", "c", "d", "e"})
            first->close(first->open(some_opening(id)), finished_request(id));
        (void)first->open(some_opening("x"));
        (void)second->open(some_opening("y"));
    });
}

TEST_F(RecoveryOf, WhatADeadProcessLeftBehind) {
    leave_something(path());
    EXPECT_EQ(folders(), 2u);
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_EQ(store_.size(), 7u);
    EXPECT_EQ(recovery.rows(), 7u);
    EXPECT_EQ(recovery.lost(), 0u);
    EXPECT_EQ(store_.find("a").status, 200);
    EXPECT_EQ(store_.find("x").error, "gateway_crashed");
    EXPECT_EQ(store_.find("y").cost, Money{13'500'000});
    EXPECT_THAT(told_,
                ::testing::ElementsAre("claim_1 x gateway_crashed", "claim_1 y gateway_crashed"));
    EXPECT_EQ(folders(), 1u);
}

TEST_F(RecoveryOf, LeavesTheLivingAlone) {
    const auto other = Journal::open(path(), testing::journal_options());
    JournalWriter* const writer = other->add_writer();
    writer->close(writer->open(some_opening("a")), finished_request("a"));
    (void)writer->open(some_opening("b"));
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_EQ(store_.size(), 0u);
    EXPECT_EQ(folders(), 2u);
}

TEST_F(RecoveryOf, GoesOnWhenTheStoreComesBack) {
    leave_something(path());
    Recovery recovery = this->recovery();
    recovery.look();
    store_.go_away();
    for (int i = 0; i < 10; ++i) (void)recovery.step();
    EXPECT_TRUE(recovery.has_work());
    EXPECT_EQ(told_.size(), 0u);
    store_.come_back();
    while (recovery.has_work()) ASSERT_TRUE(recovery.step());
    EXPECT_EQ(store_.size(), 7u);
    EXPECT_EQ(told_.size(), 2u);
}

TEST_F(RecoveryOf, IsTakenUpByAnotherWhenItIsItselfCutShort) {
    leave_something(path());
    for (int steps = 0; folders() > 1; ++steps) {
        ASSERT_LT(steps, 20);
        Recovery cut_short = this->recovery();
        cut_short.look();
        for (int i = 0; i < steps && cut_short.has_work(); ++i) ASSERT_TRUE(cut_short.step());
    }
    EXPECT_EQ(store_.size(), 7u);
    EXPECT_EQ(store_.find("a").status, 200);
}

TEST_F(RecoveryOf, TellsOfARequestWhoseEndWasWrittenButNotItsSlotGivenBack) {
    in_a_process_that_dies([&] {
        const auto journal = Journal::open(path(), testing::journal_options());
        JournalWriter* const writer = journal->add_writer();
        (void)writer->open(some_opening("a"));
        writer->close({}, finished_request("a"));
    });
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_EQ(store_.size(), 1u);
    EXPECT_EQ(store_.find("a").status, 200);
    EXPECT_THAT(told_, ::testing::ElementsAre("claim_1 a "));
}

TEST_F(RecoveryOf, DoesNotReplaceWhatTheStoreHas) {
    auto known = finished_request("x");
    known.status = 418;
    JournalWriter* const writer = own_->add_writer();
    writer->close({}, known);
    Record record = *read_closing(*writer->closed()->take());
    ASSERT_TRUE(store_.append()(std::span(&record, 1)));
    leave_something(path());
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_EQ(store_.find("x").status, 418);
    EXPECT_EQ(recovery.rows(), 6u);
}

TEST_F(RecoveryOf, OnlyOneProcessTakesOver) {
    leave_something(path());
    Recovery first = this->recovery();
    first.look();
    while (first.has_work() && store_.size() == 0) ASSERT_TRUE(first.step());
    Recovery second = this->recovery();
    run(second);
    EXPECT_EQ(second.rows(), 0u);
    while (first.has_work()) ASSERT_TRUE(first.step());
    EXPECT_EQ(first.rows(), 7u);
}

TEST_F(RecoveryOf, CountsWhatIsDamaged) {
    leave_something(path());
    for (const auto& entry : fs::recursive_directory_iterator(own_->places().memory)) {
        if (!entry.path().filename().string().starts_with(closed_files_kind)) continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100);
        file.put('!');
    }
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_GT(recovery.lost(), 0u);
    EXPECT_EQ(store_.size() + recovery.lost(), 7u);
    EXPECT_EQ(store_.find("x").error, "gateway_crashed");
    EXPECT_EQ(folders(), 1u);
}

TEST_F(RecoveryOf, TouchesNothingThatIsNotTheJournals) {
    fs::create_directories(path());
    std::ofstream(path() / "notes.txt") << "mine";
    fs::create_directories(path() / "mine");
    std::ofstream(path() / "mine" / "file") << "mine";
    fs::create_directories(path() / "empty");  // what is left of a folder that was being removed
    Recovery recovery = this->recovery();
    run(recovery);
    EXPECT_TRUE(fs::exists(path() / "notes.txt"));
    EXPECT_TRUE(fs::exists(path() / "mine" / "file"));
    EXPECT_FALSE(fs::exists(path() / "empty"));
}

// As after a machine lost its power: memory is gone, and what was copied to the disk is there.
TEST_F(RecoveryOf, WhatIsOnTheDiskWhereMemoryIsGone) {
    in_a_process_that_dies([&] {
        Journal* const journal =
            Journal::open(path(), testing::journal_options({.file_bytes = 4096})).release();
        JournalWriter* const writer = journal->add_writer();
        for (const char* id : {"a", "b", "c", "d", "e"})
            writer->close(writer->open(some_opening(id)), finished_request(id));
        (void)writer->open(some_opening("x"));
        (void)journal->copy(Copying::at_once);
        writer->close({}, finished_request("too late"));
    });
    for (const std::string& process : own_->places().others())
        fs::remove_all(own_->places().memory / process);
    Recovery recovery = this->recovery();
    recovery.look();
    EXPECT_GT(recovery.others_bytes(), 4096u);
    run(recovery);
    EXPECT_EQ(store_.size(), 6u);
    EXPECT_EQ(store_.find("x").error, "gateway_crashed");
    EXPECT_EQ(recovery.lost(), 0u);
    EXPECT_EQ(folders(), 1u);
}

}  // namespace
}  // namespace runnel::storage
