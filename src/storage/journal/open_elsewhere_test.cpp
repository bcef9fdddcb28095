#include "storage/journal/open_elsewhere.hpp"

#include "storage/journal/closed_batch.hpp"
#include "storage/journal/journal.hpp"
#include "support/journals.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace runnel::storage {
namespace {

using testing::finished_request;
using testing::some_opening;
using Clock = OpenElsewhere::Clock;

// A process that is asked, and one that has requests under way.
class ElsewhereTest : public ::testing::Test {
protected:
    std::int64_t reserved(metering::Holder::Kind kind, std::string name,
                          Clock::time_point asked = Clock::time_point::min()) {
        metering::Hold hold;
        hold.holder = {kind, std::move(name)};
        return own_->elsewhere()->reserved(hold, asked).amount.nano_usd;
    }
    std::int64_t reserved_by_key(Clock::time_point asked = Clock::time_point::min()) {
        return reserved(metering::Holder::Kind::key, "key_1", asked);
    }
    static constexpr std::int64_t each = 13'500'000;

    testing::TemporaryFolder temporary_;
    std::unique_ptr<Journal> own_ =
        Journal::open(temporary_.path() / "journal", testing::journal_options());
    std::unique_ptr<Journal> other_ =
        Journal::open(temporary_.path() / "journal", testing::journal_options());
    JournalWriter* writer_ = other_->add_writer();
};

TEST_F(ElsewhereTest, KnowsWhatIsReservedOfWhichBudget) {
    auto with_model = some_opening("a");
    with_model.budget_model = "fast";
    (void)writer_->open(with_model);
    (void)writer_->open(some_opening("b"));
    auto free = some_opening("c");
    free.claim_id = {};
    (void)writer_->open(free);
    EXPECT_EQ(reserved_by_key(), 0);
    own_->elsewhere()->look();
    using enum metering::Holder::Kind;
    EXPECT_EQ(reserved_by_key(), 2 * each);
    EXPECT_EQ(reserved(team, "search"), 2 * each);
    EXPECT_EQ(reserved(model, "fast"), each);
    EXPECT_EQ(reserved(key, "key_2"), 0);
    // Nobody counts his own.
    other_->elsewhere()->look();
    metering::Hold hold;
    hold.holder = {key, "key_1"};
    EXPECT_EQ(other_->elsewhere()->reserved(hold, {}).claims, 0);
}

TEST_F(ElsewhereTest, CountsAReservationUntilTheLedgerHasWhatItCost) {
    const auto ticket = writer_->open(some_opening("a"));
    own_->elsewhere()->look();
    int told = 0;
    own_->elsewhere()->on_stored([&] { ++told; });
    writer_->close(ticket, finished_request("a"));
    own_->elsewhere()->look();
    EXPECT_EQ(reserved_by_key(Clock::now()), each);  // the row waits for the store
    EXPECT_EQ(told, 0);
    ClosedBatch batch(other_->writers(), {100, 1'000'000});
    batch.gather();
    batch.commit();
    const auto before = Clock::now();
    own_->elsewhere()->look();
    EXPECT_EQ(told, 1);
    EXPECT_EQ(reserved_by_key(before), each);  // a ledger that was asked before may lack it
    EXPECT_EQ(reserved_by_key(Clock::now()), 0);
}

TEST_F(ElsewhereTest, CountsNothingOfAProcessThatHasEnded) {
    writer_->close(writer_->open(some_opening("a")), finished_request("a"));
    const auto ticket = writer_->open(some_opening("b"));
    own_->elsewhere()->look();
    EXPECT_EQ(reserved_by_key(Clock::now()), each);
    writer_->close(ticket, finished_request("b"));
    ClosedBatch batch(other_->writers(), {100, 1'000'000});
    batch.gather();
    batch.commit();
    other_.reset();
    own_->elsewhere()->look();
    EXPECT_EQ(reserved_by_key(Clock::now()), 0);
}

}  // namespace
}  // namespace runnel::storage
