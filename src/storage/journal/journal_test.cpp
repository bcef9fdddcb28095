#include "storage/journal/journal.hpp"

#include "storage/journal/closed_batch.hpp"
#include "support/journals.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace runnel::storage {
namespace {

using testing::finished_request;
using ::testing::HasSubstr;
using testing::some_opening;

class JournalOf2 : public ::testing::Test {
protected:
    JournalOf2() {
        journal_ = Journal::open(temporary_.path() / "journal", testing::journal_options());
        first_ = journal_->add_writer();
        second_ = journal_->add_writer();
    }

    testing::TemporaryFolder temporary_;
    std::unique_ptr<Journal> journal_;
    JournalWriter* first_ = nullptr;
    JournalWriter* second_ = nullptr;
};

std::vector<std::string> ids_of(const ClosedBatch& batch) {
    std::vector<std::string> ids;
    for (const Record& record : batch.records()) ids.push_back(record.entry_id);
    return ids;
}

TEST_F(JournalOf2, GathersWhatAllThreadsHaveClosed) {
    const auto ticket = first_->open(some_opening("a"));
    second_->close(second_->open(some_opening("b")), finished_request("b"), R"({"version":1})");
    first_->close(ticket, finished_request("a"));
    first_->close({}, finished_request("c"));
    ClosedBatch batch(journal_->writers(), {100, 1'000'000});
    batch.gather();
    EXPECT_THAT(ids_of(batch), ::testing::ElementsAre("a", "c", "b"));
    EXPECT_FALSE(batch.is_full());
    EXPECT_EQ(batch.records()[2].timeline_json, R"({"version":1})");
    EXPECT_THAT(batch.records()[0].details_json, HasSubstr(R"("dialect":"openai")"));
    batch.commit();
    batch.gather();
    EXPECT_TRUE(batch.empty());
}

TEST_F(JournalOf2, GathersNoMoreThanABatchAndGivesEachThreadItsTurn) {
    for (int i = 0; i < 10; ++i) {
        first_->close({}, finished_request("a" + std::to_string(i)));
        second_->close({}, finished_request("b" + std::to_string(i)));
    }
    ClosedBatch batch(journal_->writers(), {8, 1'000'000});
    std::vector<std::string> all;
    for (const std::size_t rows : {8u, 8u, 4u}) {
        batch.gather();
        EXPECT_EQ(batch.records().size(), rows);
        EXPECT_EQ(batch.is_full(), rows == 8);
        for (const std::string& id : ids_of(batch)) all.push_back(id);
        batch.commit();
    }
    EXPECT_EQ(all.front(), "a0");
    EXPECT_EQ(all[8], "b0");
    EXPECT_EQ(all.size(), 20u);

    first_->close({}, finished_request("x"), std::string(5000, ' '));
    first_->close({}, finished_request("y"));
    ClosedBatch by_size(journal_->writers(), {100, 5000});
    by_size.gather();
    EXPECT_THAT(ids_of(by_size), ::testing::ElementsAre("x"));
}

TEST_F(JournalOf2, GivesAnIdToARequestThatGotNone) {
    first_->close({}, finished_request(""));
    first_->close({}, finished_request(""));
    ClosedBatch batch(journal_->writers(), {100, 1'000'000});
    batch.gather();
    const auto ids = ids_of(batch);
    ASSERT_EQ(ids.size(), 2u);
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_TRUE(ids[0].starts_with(own_id_prefix));
}

TEST(Journal, LetsRequestsGoOnWhenMemoryIsFull) {
    testing::TemporaryFolder temporary;
    auto options = testing::journal_options();
    options.allocate = [](int, std::size_t) { return ENOSPC; };
    const auto journal = Journal::open(temporary.path() / "journal", options);
    JournalWriter* const writer = journal->add_writer();
    const auto ticket = writer->open(some_opening("a"));
    EXPECT_EQ(ticket.slot, OpenSlots::none);
    EXPECT_EQ(writer->unmarked(), 1u);
    writer->close(ticket, finished_request("a"));
    EXPECT_EQ(writer->closed()->lost(), 1u);
}

TEST(Journal, LetsRequestsGoOnWhereTheDiskCannotBeWritten) {
    testing::TemporaryFolder temporary;
    std::ofstream(temporary.path() / "file") << "x";
    const auto journal = Journal::open(temporary.path() / "file" / "journal", {.memory = {}});
    JournalWriter* const writer = journal->add_writer();
    writer->close(writer->open(some_opening("a")), finished_request("a"));
    EXPECT_FALSE(journal->copy(Copying::at_once));
    ClosedBatch batch(journal->writers(), {100, 1'000'000});
    batch.gather();
    EXPECT_THAT(ids_of(batch), ::testing::ElementsAre("a"));
    batch.commit();
    EXPECT_EQ(writer->unmarked() + writer->closed()->lost(), 0u);
}

}  // namespace
}  // namespace runnel::storage
