#include "storage/journal/entry.hpp"

#include "storage/journal/open_slots.hpp"
#include "support/journals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::storage {
namespace {

using testing::finished_request;
using ::testing::HasSubstr;
using testing::some_opening;

std::string bytes_of(const Opening& opening) {
    std::string bytes(OpenSlots::payload_bytes_max, '\0');
    bytes.resize(write_opening(opening, bytes.data()));
    return bytes;
}

std::string bytes_of(const Closing& closing) {
    std::string bytes(closing_bytes(closing), '\0');
    write_closing(closing, bytes.data());
    return bytes;
}

void expect_same(const Opening& a, const Opening& b) {
    EXPECT_EQ(a.completion_id, b.completion_id);
    EXPECT_EQ(a.request_id, b.request_id);
    EXPECT_EQ(a.key_id, b.key_id);
    EXPECT_EQ(a.team, b.team);
    EXPECT_EQ(a.model, b.model);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.began, b.began);
    EXPECT_EQ(a.input_tokens, b.input_tokens);
    EXPECT_EQ(a.output_tokens, b.output_tokens);
    EXPECT_EQ(a.reserved, b.reserved);
    EXPECT_EQ(a.claim_id, b.claim_id);
}

TEST(JournalEntry, OfAnOpeningIsReadAsItWasWritten) {
    Opening opening = some_opening("chatcmpl-1");
    for (const std::optional<Money> reserved : {std::optional(Money{7}), std::optional<Money>()}) {
        opening.reserved = reserved;
        const std::string bytes = bytes_of(opening);
        const auto read = read_opening(bytes);
        ASSERT_TRUE(read);
        expect_same(*read, opening);
    }
}

TEST(JournalEntry, OfAnOpeningCutsLongNamesButNoIds) {
    const std::string long_model = std::string(299, 'm') + "é";
    const std::string long_target = "openai/" + std::string(300, 't');
    Opening opening = some_opening("chatcmpl-1");
    opening.model = long_model;
    opening.target = long_target;
    const std::string bytes = bytes_of(opening);
    EXPECT_LE(bytes.size(), OpenSlots::payload_bytes_max);
    const auto read = read_opening(bytes);
    ASSERT_TRUE(read);
    EXPECT_TRUE(long_target.starts_with(read->target));
    EXPECT_TRUE(long_model.starts_with(read->model));
    opening.target = read->target;
    opening.model = read->model;
    expect_same(*read, opening);

    const std::string long_team(500, 'x');
    opening.team = long_team;
    EXPECT_EQ(bytes_of(opening), "");
}

TEST(JournalEntry, OfAFinishedRequestIsItsRecord) {
    const auto request = finished_request("chatcmpl-1");
    const auto read = read_closing(bytes_of(Closing{"chatcmpl-1", &request, "[1]", "{}", "[]"}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->entry_id, "chatcmpl-1");
    EXPECT_EQ(read->request_id, "req_1");
    EXPECT_EQ(read->time, request.began);
    EXPECT_EQ(read->key_id, "key_1");
    EXPECT_EQ(read->team, "search");
    EXPECT_EQ(read->model_asked, "fast");
    EXPECT_EQ(read->model_served, "openai/gpt-5-mini");
    EXPECT_EQ(read->provider, "openai");
    EXPECT_EQ(read->status, 200);
    EXPECT_EQ(read->error, "");
    EXPECT_EQ(read->finish, "stop");
    EXPECT_TRUE(read->stream);
    EXPECT_EQ(read->tokens, (Tokens{2000, 1000, 500, 100}));
    EXPECT_EQ(read->cost, Money{9'000'000});
    EXPECT_EQ(read->lines_json, "[1]");
    EXPECT_EQ(read->details_json, "{}");
    EXPECT_EQ(read->timeline_json, "[]");
}

TEST(JournalEntry, KeepsACostThatIsNotKnownUnknown) {
    telemetry::RequestRecord request;
    const auto read = read_closing(bytes_of(Closing{"chatcmpl-1", &request, "[]", "{}", ""}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->cost, std::nullopt);
    EXPECT_EQ(read->tokens, Tokens{});
}

TEST(JournalEntry, ThatWasCutOrIsTooLongIsNone) {
    const auto request = finished_request("chatcmpl-1");
    const std::string closing = bytes_of(Closing{"chatcmpl-1", &request, "[1]", "{}", "[]"});
    const std::string opening = bytes_of(some_opening("chatcmpl-1"));
    for (std::size_t size = 0; size < closing.size(); ++size)
        EXPECT_FALSE(read_closing(closing.substr(0, size)));
    for (std::size_t size = 0; size < opening.size(); ++size)
        EXPECT_FALSE(read_opening(opening.substr(0, size)));
    EXPECT_FALSE(read_closing(closing + "x"));
    EXPECT_FALSE(read_opening(opening + "x"));
}

TEST(JournalEntry, OfARequestThatWasUnderWayBecomesARecordOfTheCrash) {
    const Record record = crashed_record(some_opening("chatcmpl-1"));
    EXPECT_EQ(record.entry_id, "chatcmpl-1");
    EXPECT_EQ(record.request_id, "req_1");
    EXPECT_EQ(record.key_id, "key_1");
    EXPECT_EQ(record.provider, "openai");
    EXPECT_EQ(record.status, 0);
    EXPECT_EQ(record.error, "gateway_crashed");
    EXPECT_EQ(record.tokens, (Tokens{2000, 0, 500, 0}));
    EXPECT_EQ(record.cost, Money{13'500'000});
    EXPECT_THAT(record.lines_json, HasSubstr(R"("amount_nano_usd":13500000)"));
    EXPECT_THAT(record.lines_json, HasSubstr(R"("provenance":"estimated")"));
    EXPECT_THAT(record_json(record, Reader::admin), HasSubstr(R"("outcome":"crashed")"));
    EXPECT_THAT(record_json(record, Reader::admin), HasSubstr(R"("provenance":"estimated")"));

    Opening unpriced = some_opening("chatcmpl-2");
    unpriced.reserved.reset();
    EXPECT_EQ(crashed_record(unpriced).cost, std::nullopt);
    EXPECT_EQ(crashed_record(unpriced).lines_json, "[]");
}

}  // namespace
}  // namespace runnel::storage
