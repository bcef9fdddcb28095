#include "storage/records/append.hpp"

#include "storage/records/logs.hpp"
#include "storage/records/retention.hpp"
#include "storage/records/usage.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace runnel::storage {
namespace {

using testing::some_noon;
using testing::some_record;

class Append : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    Record found(std::string_view id) {
        auto record = find_record(*database_, id, std::nullopt, Detail::content);
        EXPECT_TRUE(record && *record) << id;
        return record && *record ? **record : Record{};
    }
    std::int64_t count() { return count_records(*database_, {}).value_or(-1); }
    UsageSum sum() {
        auto sums = usage(*database_, {.from = {}, .to = some_noon + std::chrono::days(365)});
        EXPECT_TRUE(sums);
        return sums && !sums->empty() ? sums->front() : UsageSum{};
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, Append, testing::each_database(), testing::database_name);

TEST_P(Append, KeepsEveryMember) {
    Record record = some_record("chatcmpl-1");
    record.timeline_json = R"([{"said":"hello"}])";
    ASSERT_TRUE(append(*database_, {&record, 1}));
    const Record back = found("chatcmpl-1");
    EXPECT_EQ(back.entry_id, record.entry_id);
    EXPECT_EQ(back.request_id, record.request_id);
    EXPECT_EQ(back.time, record.time);
    EXPECT_EQ(back.key_id, record.key_id);
    EXPECT_EQ(back.team, record.team);
    EXPECT_EQ(back.model_asked, record.model_asked);
    EXPECT_EQ(back.model_served, record.model_served);
    EXPECT_EQ(back.provider, record.provider);
    EXPECT_EQ(back.status, record.status);
    EXPECT_EQ(back.error, record.error);
    EXPECT_EQ(back.finish, record.finish);
    EXPECT_EQ(back.stream, record.stream);
    EXPECT_EQ(back.tokens, record.tokens);
    EXPECT_EQ(back.cost, record.cost);
    EXPECT_EQ(back.lines_json, record.lines_json);
    EXPECT_EQ(back.details_json, record.details_json);
    EXPECT_EQ(back.timeline_json, record.timeline_json);
}

TEST_P(Append, ACostThatIsNotKnownIsNotZero) {
    Record record = some_record("a");
    record.cost.reset();
    record.lines_json = "[]";
    ASSERT_TRUE(append(*database_, {&record, 1}));
    EXPECT_FALSE(found("a").cost);
    EXPECT_EQ(sum().unpriced, 1);
    EXPECT_EQ(sum().cost, Money{});
}

TEST_P(Append, TheSameRecordAgainChangesNothing) {
    std::vector<Record> batch{some_record("a"), some_record("b"), some_record("a")};
    auto first = append(*database_, batch);
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_EQ(first->added, 2U);
    EXPECT_EQ(first->known, 1U);

    batch = {some_record("c"), some_record("b"), some_record("d")};
    batch[1].cost = Money::from_usd(1000);
    auto second = append(*database_, batch);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->added, 2U);
    EXPECT_EQ(second->known, 1U);

    EXPECT_EQ(count(), 4);
    EXPECT_EQ(sum().requests, 4);
    EXPECT_EQ(sum().cost, Money::from_usd(4 * 0.0135));
    EXPECT_EQ(found("b").cost, some_record("b").cost);
    EXPECT_EQ(found("d").details_json, some_record("d").details_json);
}

TEST_P(Append, WhatClientsSendCannotKeepABatchFromBeingStored) {
    std::vector<Record> batch{some_record("a"), some_record("b"), some_record("c")};
    batch[0].model_asked = std::string(100'000, 'm');
    batch[1].model_asked = std::string("zero\0 and \xff", 11);
    batch[1].request_id = std::string(1, '\0');
    batch[2].error = std::string(300, '\xc3');
    auto appended = append(*database_, batch);
    ASSERT_TRUE(appended) << appended.error().detail;
    EXPECT_EQ(appended->added, 3U);
    EXPECT_EQ(count_records(*database_, {.model = batch[0].model_asked}).value_or(-1), 1);
    EXPECT_EQ(found("a").model_asked.size(), 256U);
}

TEST_P(Append, ARecordThatTheStoreRefusesIsLeftOutAlone) {
    const std::string_view refuse_one =
        GetParam() == Kind::sqlite
            ? "CREATE TRIGGER refuse BEFORE INSERT ON ledger WHEN NEW.entry_id = 'r3' "
              "BEGIN SELECT RAISE(ABORT, 'no'); END"
            : "ALTER TABLE ledger ADD CONSTRAINT refuse CHECK (entry_id <> 'r3')";
    ASSERT_TRUE(database_->run(refuse_one));
    std::vector<Record> batch;
    for (int i = 0; i < 9; ++i) batch.push_back(some_record("r" + std::to_string(i)));
    auto appended = append(*database_, batch);
    ASSERT_TRUE(appended) << appended.error().detail;
    EXPECT_EQ(appended->added, 8U);
    EXPECT_EQ(appended->refused, 1U);
    EXPECT_EQ(sum().requests, 8);
}

TEST_P(Append, SeveralMachinesAtOnceLoseNothing) {
    constexpr int machines = 3;
    constexpr int batches = 20;
    constexpr int each = 50;
    {
        std::vector<std::jthread> threads;
        for (int machine = 0; machine < machines; ++machine)
            threads.emplace_back([&, machine, database = std::shared_ptr(open())] {
                for (int number = 0; number < batches; ++number) {
                    std::vector<Record> batch;
                    for (int i = 0; i < each; ++i) {
                        // Half of them are what the other machines append too.
                        const int owner = i % 2 == 0 ? machine : 9;
                        batch.push_back(some_record(std::to_string(owner) + "-" +
                                                    std::to_string(number * each + i)));
                        batch.back().key_id = "key-" + std::to_string((i * 7 + machine) % 5);
                    }
                    while (!append(*database, batch)) std::this_thread::yield();
                }
            });
    }
    const int expected = batches * each / 2 * (machines + 1);
    EXPECT_EQ(count(), expected);
    EXPECT_EQ(sum().requests, expected);
    auto rows = database_->run("SELECT COUNT(*), SUM(cost) FROM ledger");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->integer(0, 0), expected);
    EXPECT_EQ(rows->integer(0, 1), sum().cost.nano_usd);
}

TEST_P(Append, ARecordThatComesAfterItsTimeIsCountedButNotKept) {
    ASSERT_TRUE(forget_before(*database_, some_noon));
    std::vector<Record> batch{some_record("old", some_noon - std::chrono::hours(1)),
                              some_record("new", some_noon)};
    ASSERT_TRUE(append(*database_, batch));
    EXPECT_FALSE(*find_record(*database_, "old", std::nullopt, Detail::record));
    EXPECT_TRUE(*find_record(*database_, "old", std::nullopt, Detail::columns));
    EXPECT_TRUE(*find_record(*database_, "new", std::nullopt, Detail::record));
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(sum().requests, 2);
}

// The server goes away again and again while batches are appended, and each is given again until it
// is taken: as the journal does it.
TEST(AppendToPostgres, EveryRecordIsThereOnceAfterRestarts) {
    if (testing::shared_postgres() == nullptr) GTEST_SKIP() << "there is no PostgreSQL here";
    const storage::StoreSettings settings{.kind = storage::StoreSettings::Kind::postgres,
                                          .url =
                                              Secret(testing::shared_postgres()->new_database())};
    auto database = open_database(settings, "");
    ASSERT_TRUE(database);
    constexpr int each = 100;
    int batches = 0;
    std::atomic<bool> enough = false;
    std::jthread appending([&] {
        for (; !enough; ++batches) {
            std::vector<Record> batch;
            for (int i = 0; i < each; ++i)
                batch.push_back(some_record(std::to_string(batches * each + i)));
            while (!append(**database, batch))
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    });
    for (int restart = 0; restart < 6; ++restart) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_TRUE(testing::shared_postgres()->restart());
    }
    enough = true;
    appending.join();
    auto sums = usage(**database, {.from = {}, .to = some_noon + std::chrono::days(1)});
    ASSERT_TRUE(sums) << sums.error().detail;
    EXPECT_EQ(sums->front().requests, batches * each);
    EXPECT_EQ(count_records(**database, {}).value_or(-1), batches * each);
}

}  // namespace
}  // namespace runnel::storage
