#include "storage/records/retention.hpp"

#include "storage/records/append.hpp"
#include "storage/records/logs.hpp"
#include "storage/records/usage.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace runnel::storage {
namespace {

using testing::some_noon;
using testing::some_record;
using namespace std::chrono_literals;

class Retention : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    void append_minutes(int count) {
        std::vector<Record> batch;
        for (int minute = 0; minute < count; ++minute) {
            batch.push_back(some_record("e" + std::to_string(minute), some_noon + minute * 1min));
            batch.back().timeline_json = R"(["marker-of-what-was-said"])";
        }
        ASSERT_TRUE(append(*database_, batch));
    }
    std::int64_t contents() {
        auto rows = database_->run("SELECT COUNT(*) FROM records WHERE timeline IS NOT NULL");
        return rows ? rows->integer(0, 0) : -1;
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, Retention, testing::each_database(), testing::database_name);

TEST_P(Retention, TakesAwayRecordsOfTheirTimeAndLeavesTheLedger) {
    append_minutes(5000);
    std::size_t forgotten = 0;
    Forgotten step{.more = true};
    int steps = 0;
    while (step.more) {
        auto next = forget_before(*database_, some_noon + 4100min + 1ms);
        ASSERT_TRUE(next) << next.error().detail;
        step = *next;
        forgotten += step.records;
        ++steps;
        EXPECT_LE(step.records, 2000U);
    }
    EXPECT_EQ(forgotten, 4101U);
    EXPECT_EQ(steps, 3);
    EXPECT_EQ(contents(), 899);
    EXPECT_EQ(count_records(*database_, {}).value_or(-1), 899);
    EXPECT_EQ(list_records(*database_, {}, "", 1000, Detail::record)->records.size(), 899U);
    EXPECT_EQ(
        list_records(*database_, {.provider = "openai"}, "", 1000, Detail::record)->records.size(),
        899U);
    EXPECT_EQ(usage(*database_, {.from = {}, .to = some_noon + 24h * 30})->at(0).requests, 5000);
    const auto old = find_record(*database_, "e7", std::nullopt, Detail::columns);
    ASSERT_TRUE(old && *old);
    EXPECT_EQ((*old)->lines_json, some_record("e7").lines_json);
    EXPECT_FALSE(*find_record(*database_, "e7", std::nullopt, Detail::record));

    // Going back changes nothing.
    auto again = forget_before(*database_, some_noon);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->records, 0U);
    EXPECT_EQ(count_records(*database_, {}).value_or(-1), 899);
}

TEST_P(Retention, ManyRecordsOfOneMomentGoTogether) {
    std::vector<Record> batch;
    for (int i = 0; i < 4500; ++i) batch.push_back(some_record("e" + std::to_string(i)));
    ASSERT_TRUE(append(*database_, batch));
    std::size_t forgotten = 0;
    for (bool more = true; more;) {
        auto step = forget_before(*database_, some_noon + 1h);
        ASSERT_TRUE(step);
        forgotten += step->records;
        more = step->more;
    }
    EXPECT_EQ(forgotten, 4500U);
}

TEST_P(Retention, ContentGoesOneByOne) {
    append_minutes(10);
    EXPECT_EQ(forget_content(*database_, "e4").value_or(99), 1U);
    EXPECT_EQ(forget_content(*database_, "e4").value_or(99), 0U);
    EXPECT_EQ(forget_content(*database_, "nobody").value_or(99), 0U);
    EXPECT_EQ(contents(), 9);
    const auto rest = find_record(*database_, "e4", std::nullopt, Detail::content);
    EXPECT_EQ((*rest)->timeline_json, "");
    EXPECT_EQ((*rest)->details_json, some_record("e4").details_json);
}

TEST_P(Retention, WhatWasDeletedIsNotOnTheDiskAnyMore) {
    if (GetParam() != Kind::sqlite) GTEST_SKIP() << "PostgreSQL does it in its own time";
    append_minutes(20);
    for (int minute = 0; minute < 20; ++minute)
        ASSERT_EQ(forget_content(*database_, "e" + std::to_string(minute)).value_or(0), 1U);
    for (const auto& file : std::filesystem::directory_iterator(folder())) {
        std::ifstream in(file.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        EXPECT_EQ(bytes.find("marker-of-what-was-said"), std::string::npos) << file.path();
    }
}

}  // namespace
}  // namespace runnel::storage
