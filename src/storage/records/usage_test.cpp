#include "storage/records/usage.hpp"

#include "storage/records/append.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace runnel::storage {
namespace {

using testing::some_noon;
using testing::some_record;

class UsageSums : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (IsSkipped()) return;
        database_ = open();
        std::mt19937 random(3);
        const auto pick = [&](int count) {
            return std::uniform_int_distribution(0, count - 1)(random);
        };
        for (int i = 0; i < 500; ++i) {
            Record record =
                some_record("e" + std::to_string(i), some_noon + std::chrono::minutes(pick(4000)));
            record.key_id = "key-" + std::to_string(pick(3));
            record.team = pick(2) == 0 ? "blue" : "red";
            record.model_asked = "asked-" + std::to_string(pick(2));
            record.model_served = "served-" + std::to_string(pick(3));
            record.provider = "p" + std::to_string(pick(2));
            record.cost = Money{pick(1'000'000)};
            record.tokens.output = pick(1000);
            if (pick(7) == 0) {
                record.cost.reset();
                record.model_served.clear();
                record.error = "upstream_error";
            }
            records_.push_back(record);
        }
        ASSERT_TRUE(append(*database_, records_));
    }

    // Summed up one by one.
    std::map<std::string, UsageSum> expected(const UsageQuery& query) const {
        std::map<std::string, UsageSum> sums;
        for (const Record& record : records_) {
            if (record.time < query.from || record.time >= query.to) continue;
            if (query.key_id && record.key_id != *query.key_id) continue;
            if (!query.team.empty() && record.team != query.team) continue;
            UsageSum& sum = sums[group_of(record, query.group_by)];
            ++sum.requests;
            sum.errors += record.error.empty() ? 0 : 1;
            sum.tokens += record.tokens;
            if (record.cost)
                sum.cost += *record.cost;
            else
                ++sum.unpriced;
        }
        return sums;
    }

    static std::string group_of(const Record& record, GroupBy group_by) {
        switch (group_by) {
            case GroupBy::nothing: return "";
            case GroupBy::key: return record.key_id;
            case GroupBy::team: return record.team;
            case GroupBy::model:
                return record.model_served.empty() ? record.model_asked : record.model_served;
            case GroupBy::provider: return record.provider;
            case GroupBy::day: return name_of(std::chrono::floor<std::chrono::days>(record.time));
            case GroupBy::hour: return name_of(std::chrono::floor<std::chrono::hours>(record.time));
        }
        return "";
    }
    static std::string name_of(access::UtcTime time) {
        return std::to_string(time.time_since_epoch().count());
    }

    std::unique_ptr<Database> database_;
    std::vector<Record> records_;
};
INSTANTIATE_TEST_SUITE_P(, UsageSums, testing::each_database(), testing::database_name);

TEST_P(UsageSums, AreTheLedgersForAnyWindowAndGroup) {
    std::mt19937 random(5);
    const auto pick = [&](int count) {
        return std::uniform_int_distribution(0, count - 1)(random);
    };
    for (int round = 0; round < 140; ++round) {
        UsageQuery query;
        query.from =
            some_noon + std::chrono::minutes(pick(4000) - 100) + std::chrono::milliseconds(3);
        query.to = query.from + std::chrono::minutes(pick(4000));
        query.group_by = static_cast<GroupBy>(round % 7);
        if (pick(3) == 0) query.key_id = "key-1";
        if (pick(3) == 0) query.team = "red";
        auto sums = usage(*database_, query);
        ASSERT_TRUE(sums) << sums.error().detail;
        auto rest = expected(query);
        for (const UsageSum& sum : *sums) {
            const bool by_time = query.group_by == GroupBy::day || query.group_by == GroupBy::hour;
            const std::string group = by_time ? name_of(sum.begins) : sum.group;
            ASSERT_TRUE(rest.contains(group)) << round << ": " << group;
            const UsageSum& same = rest[group];
            EXPECT_EQ(sum.requests, same.requests) << round;
            EXPECT_EQ(sum.errors, same.errors) << round;
            EXPECT_EQ(sum.tokens, same.tokens) << round;
            EXPECT_EQ(sum.cost, same.cost) << round;
            EXPECT_EQ(sum.unpriced, same.unpriced) << round;
            rest.erase(group);
        }
        EXPECT_TRUE(rest.empty()) << round;
    }
}

TEST_P(UsageSums, WhatWasSpentIsKnownSinceAnyMoment) {
    for (const int minutes : {-1000, 0, 720, 731, 3999, 5000}) {
        const access::UtcTime from = some_noon + std::chrono::minutes(minutes);
        Money of_key;
        Money of_team;
        Money of_model;
        Money of_target;
        const std::string some_target =
            records_.front().provider + '/' + records_.front().model_served;
        for (const Record& record : records_) {
            if (record.time < from || !record.cost) continue;
            if (record.key_id == "key-2") of_key += *record.cost;
            if (record.team == "blue") of_team += *record.cost;
            if (record.model_asked == "asked-1") of_model += *record.cost;
            const bool named = record.model_asked == "asked-1" || record.model_asked == "asked-2";
            const std::string target = record.provider + '/' + record.model_served;
            if (named || target == some_target) of_target += *record.cost;
        }
        using Kind = SpendScope::Kind;
        EXPECT_EQ(spent(*database_, {Kind::key, "key-2"}, from).value_or(Money{-1}), of_key);
        EXPECT_EQ(spent(*database_, {Kind::team, "blue"}, from).value_or(Money{-1}), of_team);
        EXPECT_EQ(spent(*database_, {Kind::model, "asked-1"}, from).value_or(Money{-1}), of_model);
        const SpendScope target{Kind::model, some_target, {"asked-1", "asked-2"}};
        EXPECT_EQ(spent(*database_, target, from).value_or(Money{-1}), of_target);
        EXPECT_EQ(spent(*database_, {Kind::key, "nobody"}, from).value_or(Money{-1}), Money{});
    }
}

TEST_P(UsageSums, CountsWhatVersionsOfAModelCost) {
    std::vector<Record> records;
    for (const char* served : {"p9/gpt", "gpt-2026-08-07", "p9/GPT-latest", "gpt-mini", "p9/gp"}) {
        records.push_back(some_record(fmt::format("v{}", records.size()), some_noon));
        records.back().model_asked = served;
        records.back().model_served = served;
        records.back().provider = "p9";
        records.back().cost = Money{1};
    }
    ASSERT_TRUE(append(*database_, records));
    const SpendScope model{SpendScope::Kind::model, "p9/gpt"};
    EXPECT_EQ(spent(*database_, model, some_noon).value_or(Money{-1}), Money{3});
}

}  // namespace
}  // namespace runnel::storage
