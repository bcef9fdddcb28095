#include "storage/journal/recorder.hpp"

#include "support/journals.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using testing::finished_request;
using testing::some_opening;

class RecorderOf : public ::testing::Test {
protected:
    fs::path path() const { return temporary_.path() / "journal"; }

    void open(Journal::Options options = testing::journal_options()) {
        journal_ = Journal::open(path(), std::move(options));
        writer_ = journal_->add_writer();
        other_writer_ = journal_->add_writer();
    }
    void start(Recorder::Options options = {}) {
        recorder_ = std::make_unique<Recorder>(
            journal_.get(), store_.append(),
            [this](const Opening& opening, const Record&) { told_.emplace_back(opening.claim_id); },
            options);
    }
    void close(int count, int first = 0) {
        for (int i = first; i < first + count; ++i) {
            JournalWriter* const writer = i % 2 == 0 ? writer_ : other_writer_;
            const std::string id = "id" + std::to_string(i);
            writer->close(writer->open(some_opening(id)), finished_request(id));
        }
    }

    testing::TemporaryFolder temporary_;
    std::unique_ptr<Journal> journal_;
    JournalWriter* writer_ = nullptr;
    JournalWriter* other_writer_ = nullptr;
    testing::MemoryStore store_;
    std::vector<std::string> told_;
    std::unique_ptr<Recorder> recorder_;
};

// True as soon as it is so; false when it is not so for ten seconds.
bool soon(auto condition) {
    for (int i = 0; i < 1000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

TEST_F(RecorderOf, StoresWhatIsClosedWithinASecondByItself) {
    open();
    start();
    std::this_thread::sleep_for(20ms);  // it sleeps by now
    auto shortest = std::chrono::steady_clock::duration::max();
    for (int round = 0; round < 5; ++round) {
        close(1, round);
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(soon([&] { return store_.size() == static_cast<std::size_t>(round) + 1; }));
        shortest = std::min(shortest, std::chrono::steady_clock::now() - began);
    }
    EXPECT_LT(shortest, 1s);  // the machine may be busy, but not always
}

TEST_F(RecorderOf, StoresManyRowsAtATime) {
    open();
    start({.batch = {100, 1'000'000}});
    close(350);
    EXPECT_TRUE(recorder_->flush(10s));
    EXPECT_EQ(store_.size(), 350u);
    const auto batches = store_.batches();
    EXPECT_LE(*std::ranges::max_element(batches), 100u);
    EXPECT_GE(*std::ranges::max_element(batches), 100u);
    const auto figures = recorder_->figures();
    EXPECT_EQ(figures.waiting, 0u);
    EXPECT_EQ(figures.stored, 350u);
    EXPECT_EQ(figures.lag, 0ms);
    EXPECT_EQ(figures.lost, 0u);
    EXPECT_EQ(figures.store_error, "");
}

TEST_F(RecorderOf, KeepsRowsWhileTheStoreIsAwayAndLosesNone) {
    open(testing::journal_options({.file_bytes = 8192}));
    store_.go_away();
    start({.retry_time_max = 200ms});
    close(500);
    EXPECT_TRUE(soon([&] { return !recorder_->figures().store_error.empty(); }));
    EXPECT_FALSE(recorder_->flush(50ms));
    auto figures = recorder_->figures();
    EXPECT_EQ(figures.waiting, 500u);
    EXPECT_GT(figures.lag, 0ms);
    EXPECT_GT(figures.memory_bytes, 500'000u);
    EXPECT_EQ(figures.store_error, "the store is away");
    EXPECT_FALSE(figures.store_is_up);
    store_.come_back();
    EXPECT_TRUE(soon([&] { return store_.size() == 500; }));
    EXPECT_TRUE(recorder_->flush(10s));
    figures = recorder_->figures();
    EXPECT_EQ(figures.lost, 0u);
    EXPECT_EQ(figures.store_error, "");
    EXPECT_TRUE(figures.store_is_up);
    EXPECT_LT(figures.memory_bytes, 400'000u);
}

TEST_F(RecorderOf, CountsWhatAFullJournalLosesAndSaysSo) {
    auto options = testing::journal_options({.file_bytes = 8192, .retry_time = 0ms});
    options.memory = [find = options.memory](const fs::path& folder) {
        return std::optional(JournalMemory{find(folder)->folder, 600'000});
    };
    open(std::move(options));
    store_.go_away();
    start({.gather_time = 1ms, .retry_time_max = 20ms});
    ::testing::internal::CaptureStderr();
    close(1000);
    EXPECT_TRUE(soon([&] { return !recorder_->figures().store_error.empty(); }));
    store_.come_back();
    EXPECT_TRUE(recorder_->flush(10s));
    log::flush();
    const std::string told = ::testing::internal::GetCapturedStderr();
    const auto figures = recorder_->figures();
    EXPECT_GT(figures.lost, 0u);
    EXPECT_GT(figures.stored, 0u);
    EXPECT_EQ(figures.lost + figures.stored, 1000u);
    EXPECT_THAT(told, ::testing::HasSubstr("requests are missing in the log and the ledger"));
    EXPECT_EQ(told.find("are missing"), told.rfind("are missing"));
    close(1, 1000);
    EXPECT_TRUE(recorder_->flush(10s));
    EXPECT_EQ(store_.find("id1000").status, 200);
}

TEST_F(RecorderOf, CountsWhatTheStoreRefuses) {
    open();
    store_.refuse("id3");
    start();
    close(5);
    EXPECT_TRUE(recorder_->flush(10s));
    EXPECT_EQ(recorder_->figures().lost, 1u);
    EXPECT_EQ(store_.size(), 4u);
}

TEST_F(RecorderOf, StoresEverythingBeforeItStopsAndLeavesNothingBehind) {
    open();
    start({.gather_time = 1h});
    close(700);
    EXPECT_TRUE(recorder_->stop(10s));
    EXPECT_EQ(store_.size(), 700u);
    recorder_.reset();
    journal_.reset();
    EXPECT_TRUE(fs::is_empty(path()));
    EXPECT_TRUE(fs::is_empty(temporary_.path() / "memory"));
}

TEST_F(RecorderOf, LeavesToTheNextProcessWhatItCouldNotStoreInTime) {
    open();
    store_.go_away();
    start();
    close(10);
    (void)writer_->open(some_opening("under_way"));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(recorder_->stop(150ms));
    EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
    recorder_.reset();
    journal_.reset();
    EXPECT_FALSE(fs::is_empty(path()));

    store_.come_back();
    open();
    start();
    EXPECT_TRUE(soon([&] { return store_.size() == 11; }));
    EXPECT_TRUE(soon([&] { return recorder_->figures().recovered == 11; }));
    EXPECT_EQ(store_.find("under_way").error, "gateway_crashed");
    EXPECT_TRUE(recorder_->stop(10s));
    EXPECT_THAT(told_, ::testing::ElementsAre("claim_1"));
}

TEST_F(RecorderOf, TakesOverFromAProcessThatDiesWhileItRuns) {
    open();
    start({.recovery_time = 50ms});
    testing::in_a_process_that_dies([&] {
        const auto journal = Journal::open(path(), testing::journal_options());
        JournalWriter* const writer = journal->add_writer();
        (void)writer->open(some_opening("theirs"));
    });
    EXPECT_TRUE(soon([&] { return store_.size() == 1; }));
    EXPECT_EQ(store_.find("theirs").error, "gateway_crashed");
}

TEST_F(RecorderOf, KnowsOfAStoreThatWillTakeNoRowsBeforeThereAreAny) {
    open();
    std::atomic<bool> is_away = true;
    start({.retry_time_max = 20ms, .check = [&]() -> Result<void> {
               if (is_away) return fail(ErrorKind::store_unavailable, "away");
               return {};
           }});
    EXPECT_TRUE(soon([&] { return recorder_->figures().store_error == "away"; }));
    is_away = false;
    EXPECT_TRUE(soon([&] { return recorder_->figures().store_error.empty(); }));
}

TEST_F(RecorderOf, IsFedByManyThreadsAtOnce) {
    auto options = testing::journal_options({.file_bytes = 16'384});
    options.copies = Journal::Options::Copies::by_itself;
    journal_ = Journal::open(path(), std::move(options));
    std::vector<JournalWriter*> writers;
    for (int i = 0; i < 4; ++i) writers.push_back(journal_->add_writer());
    start({.batch = {50, 1'000'000}, .gather_time = 1ms});
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 500; ++i) {
                    const std::string id = std::to_string(t) + "-" + std::to_string(i);
                    writers[t]->close(writers[t]->open(some_opening(id)), finished_request(id));
                    if (i % 100 == 0) std::this_thread::sleep_for(3ms);
                }
            });
    }
    EXPECT_TRUE(recorder_->flush(20s));
    EXPECT_EQ(store_.size(), 2000u);
}

}  // namespace
}  // namespace runnel::storage
