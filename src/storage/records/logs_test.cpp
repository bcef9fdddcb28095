#include "storage/records/logs.hpp"

#include "storage/records/append.hpp"
#include "storage/records/retention.hpp"
#include "support/databases.hpp"
#include "support/store_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace runnel::storage {
namespace {

using testing::some_noon;
using testing::some_record;
using namespace std::chrono_literals;

class Logs : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }

    // Times within two days, many of them the same; a few models, keys and failures.
    Record random_record() {
        const auto pick = [&](int count) {
            return std::uniform_int_distribution(0, count - 1)(random_);
        };
        Record record = some_record("entry-" + std::to_string(records_.size()),
                                    some_noon + std::chrono::minutes(pick(2880)));
        record.request_id = "req-" + std::to_string(pick(1000));
        record.key_id = "key-" + std::to_string(pick(3));
        record.team = pick(2) == 0 ? "blue" : "red";
        record.model_asked = "asked-" + std::to_string(pick(3));
        record.model_served = pick(50) == 0 ? "rare" : "served-" + std::to_string(pick(3));
        record.provider = pick(2) == 0 ? "openai" : "anthropic";
        if (pick(10) == 0) {
            record.status = pick(2) == 0 ? 429 : 502;
            record.error = record.status == 429 ? "rate_limit_exceeded" : "upstream_error";
            record.cost.reset();
        }
        return record;
    }

    void append_random(int count) {
        std::vector<Record> batch;
        for (int i = 0; i < count; ++i) {
            batch.push_back(random_record());
            records_.push_back(batch.back());
        }
        auto appended = append(*database_, batch);
        ASSERT_TRUE(appended) << appended.error().detail;
        ASSERT_EQ(appended->added, batch.size());
    }

    LogFilter random_filter() {
        const auto pick = [&](int count) {
            return std::uniform_int_distribution(0, count - 1)(random_);
        };
        LogFilter filter;
        if (pick(3) == 0) filter.key_id = "key-" + std::to_string(pick(4));
        if (pick(5) == 0) filter.team = "red";
        if (pick(3) == 0) filter.model = pick(2) == 0 ? "rare" : "asked-1";
        if (pick(4) == 0) filter.provider = "openai";
        if (pick(4) == 0) filter.status = pick(2) == 0 ? std::pair(200, 200) : std::pair(400, 599);
        if (pick(4) == 0) filter.error = pick(2) == 0 ? "*" : "upstream_error";
        if (pick(2) == 0) filter.from = some_noon + std::chrono::minutes(pick(2880)) + 7ms;
        if (pick(2) == 0) filter.to = some_noon + std::chrono::minutes(pick(2880));
        if (pick(6) == 0) filter.id_prefix = pick(2) == 0 ? "entry-1" : "req-2";
        return filter;
    }

    static bool passes(const Record& record, const LogFilter& filter) {
        return (!filter.key_id || record.key_id == *filter.key_id) &&
               (filter.team.empty() || record.team == filter.team) &&
               (filter.model.empty() || record.model_asked == filter.model ||
                record.model_served == filter.model) &&
               (filter.provider.empty() || record.provider == filter.provider) &&
               (!filter.status || (record.status >= filter.status->first &&
                                   record.status <= filter.status->second)) &&
               (filter.error.empty() ||
                (filter.error == "*" ? !record.error.empty() : record.error == filter.error)) &&
               (!filter.from || record.time >= *filter.from) &&
               (!filter.to || record.time < *filter.to) &&
               (filter.id_prefix.empty() || record.entry_id.starts_with(filter.id_prefix) ||
                record.request_id.starts_with(filter.id_prefix));
    }

    // The ids that should be listed, newest first; of the same time, last come first.
    std::vector<std::string> expected(const LogFilter& filter) const {
        std::vector<std::pair<access::UtcTime, std::size_t>> found;
        for (std::size_t at = 0; at < records_.size(); ++at)
            if (passes(records_[at], filter)) found.emplace_back(records_[at].time, at);
        std::ranges::sort(found, std::greater());
        std::vector<std::string> ids;
        for (const auto& [time, at] : found) ids.push_back(records_[at].entry_id);
        return ids;
    }

    std::vector<std::string> listed(const LogFilter& filter, std::size_t limit) {
        std::vector<std::string> ids;
        LogPage page;
        do {
            auto next = list_records(*database_, filter, ids.empty() ? "" : ids.back(), limit,
                                     Detail::columns);
            EXPECT_TRUE(next) << next.error().message << next.error().detail;
            if (!next) break;
            page = std::move(*next);
            EXPECT_LE(page.records.size(), limit);
            EXPECT_TRUE(!page.has_more || page.records.size() == limit);
            for (const Record& record : page.records) ids.push_back(record.entry_id);
        } while (page.has_more);
        return ids;
    }

    std::unique_ptr<Database> database_;
    std::vector<Record> records_;
    std::mt19937 random_{7};
};
INSTANTIATE_TEST_SUITE_P(, Logs, testing::each_database(), testing::database_name);

TEST_P(Logs, ListAndCountWhatAnyFilterLetsThrough) {
    append_random(600);
    for (int round = 0; round < 150; ++round) {
        const LogFilter filter = random_filter();
        const auto ids = expected(filter);
        ASSERT_EQ(listed(filter, 1 + round % 40), ids) << "round " << round;
        auto count = count_records(*database_, filter);
        ASSERT_TRUE(count) << count.error().detail;
        ASSERT_EQ(*count, static_cast<std::int64_t>(ids.size())) << "round " << round;
    }
}

TEST_P(Logs, PagesLeaveNothingOutAndRepeatNothingWhileRecordsAreAdded) {
    append_random(200);
    for (const bool filtered : {false, true}) {
        LogFilter filter;
        if (filtered) filter.provider = "openai";
        const auto at_first = expected(filter);
        std::vector<std::string> ids;
        LogPage page{{}, true};
        while (page.has_more) {
            auto next =
                list_records(*database_, filter, ids.empty() ? "" : ids.back(), 7, Detail::columns);
            ASSERT_TRUE(next);
            page = std::move(*next);
            for (const Record& record : page.records) ids.push_back(record.entry_id);
            append_random(3);
        }
        const std::set<std::string> once(ids.begin(), ids.end());
        EXPECT_EQ(once.size(), ids.size());
        for (const std::string& id : at_first) EXPECT_TRUE(once.contains(id)) << id;
    }
}

TEST_P(Logs, AreFoundByEitherIdAndOnlyByTheirOwner) {
    std::vector<Record> batch{some_record("a"), some_record("b", some_noon + 1s),
                              some_record("c", some_noon + 2s)};
    batch[0].request_id = batch[1].request_id = "mine";
    batch[1].key_id = "key-2";
    ASSERT_TRUE(append(*database_, batch));
    const auto find = [&](std::string_view id, std::optional<std::string> key) {
        auto record = find_record(*database_, id, key, Detail::record);
        EXPECT_TRUE(record);
        return record && *record ? (*record)->entry_id : "nothing";
    };
    EXPECT_EQ(find("a", std::nullopt), "a");
    EXPECT_EQ(find("a", "key-1"), "a");
    EXPECT_EQ(find("a", "key-2"), "nothing");
    EXPECT_EQ(find("a", ""), "nothing");
    EXPECT_EQ(find("mine", std::nullopt), "b");  // the newest
    EXPECT_EQ(find("mine", "key-1"), "a");
    EXPECT_EQ(find("nowhere", std::nullopt), "nothing");
}

TEST_P(Logs, ReadAsMuchOfARecordAsIsAskedFor) {
    Record record = some_record("a");
    record.timeline_json = "[1]";
    ASSERT_TRUE(append(*database_, {&record, 1}));
    const auto read = [&](Detail detail) {
        return list_records(*database_, {}, "", 10, detail)->records.at(0);
    };
    EXPECT_EQ(read(Detail::columns).details_json, "");
    EXPECT_EQ(read(Detail::record).details_json, record.details_json);
    EXPECT_EQ(read(Detail::record).timeline_json, "");
    EXPECT_EQ(read(Detail::content).timeline_json, "[1]");
}

TEST_P(Logs, ACursorOfAnotherListIsRefused) {
    const Record record = some_record("a");
    ASSERT_TRUE(append(*database_, {&record, 1}));
    for (const LogFilter& filter : {LogFilter{}, LogFilter{.key_id = "key-2"}}) {
        auto page =
            list_records(*database_, filter, filter.key_id ? "a" : "no' such", 10, Detail::columns);
        ASSERT_FALSE(page);
        EXPECT_EQ(page.error().kind, ErrorKind::invalid_value);
        EXPECT_EQ(page.error().param, "after");
    }
}

TEST_P(Logs, APrefixOfTooManyIdsIsRefused) {
    std::vector<Record> batch;
    for (int i = 0; i < 10'001; ++i) batch.push_back(some_record("x" + std::to_string(i)));
    ASSERT_TRUE(append(*database_, batch));
    auto page = list_records(*database_, {.id_prefix = "x"}, "", 10, Detail::columns);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().param, "id");
    EXPECT_EQ(listed({.id_prefix = "x123"}, 100).size(), 11U);
    EXPECT_EQ(listed({.id_prefix = "req-x9999"}, 100).size(), 1U);
}

// What takes how long at 200,000 records is printed, for whoever wants to know; a plan that reads
// them all would be seen here.
TEST_P(Logs, AreQuickToReadHoweverManyThereAre) {
    constexpr int batches = 100;
    constexpr int each = 2000;
    const auto timed = [](std::string_view what, const auto& run) {
        const auto began = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - began;
        std::printf("    %-44.*s %9.2f ms\n", static_cast<int>(what.size()), what.data(),
                    took.count());
    };
    timed("append 200,000 in batches of 2,000", [&] {
        for (int number = 0; number < batches; ++number) {
            std::vector<Record> batch;
            for (int i = 0; i < each; ++i) {
                Record record =
                    some_record("chatcmpl-" + std::to_string(1'000'000 + number * each + i),
                                some_noon + std::chrono::seconds(number * each + i));
                record.key_id = "key-" + std::to_string(i % 50);
                record.details_json.resize(1000, ' ');
                if (i == 77) record.model_served = "rare";
                batch.push_back(std::move(record));
            }
            ASSERT_TRUE(append(*database_, batch));
        }
    });
    const auto page = [&](const LogFilter& filter, std::size_t size) {
        auto records = list_records(*database_, filter, "", 50, Detail::record);
        ASSERT_TRUE(records) << records.error().detail;
        EXPECT_EQ(records->records.size(), size);
    };
    timed("first page", [&] { page({}, 50); });
    timed("first page of a key", [&] { page({.key_id = "key-7"}, 50); });
    timed("first page of a rare model", [&] { page({.model = "rare"}, 50); });
    timed("first page of errors, of which there are none", [&] { page({.error = "*"}, 0); });
    timed("first page of a model and a key",
          [&] { page({.key_id = "key-27", .model = "rare"}, 50); });
    timed("count all",
          [&] { EXPECT_EQ(count_records(*database_, {}).value_or(-1), batches * each); });
    timed("count a model, from the middle of an hour", [&] {
        EXPECT_EQ(
            count_records(*database_, {.model = "rare", .from = some_noon + 30min}).value_or(-1),
            99);
    });
    timed("find by id", [&] {
        EXPECT_FALSE(*find_record(*database_, "nothing", std::nullopt, Detail::content));
    });
}

}  // namespace
}  // namespace runnel::storage
