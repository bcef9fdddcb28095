#include "storage/records/responses.hpp"

#include "support/databases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t plenty = 1'000'000;

class StoredResponses : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    void add(const std::string& id, const std::string& previous = {},
             const std::string& owner = "o", int second = 1) {
        ASSERT_TRUE(
            add_response(*database_, {.id = id,
                                      .owner = owner,
                                      .previous = previous,
                                      .created = access::UtcTime(std::chrono::seconds(second)),
                                      .input_json = R"("in )" + id + '"',
                                      .response_json = R"({"id":")" + id + R"("})"}));
    }
    std::vector<std::string> turns(const std::string& id, const std::string& owner = "o") {
        std::vector<std::string> inputs;
        auto found = find_turns(*database_, id, owner, plenty);
        if (found)
            for (StoredResponse& turn : *found) inputs.push_back(std::move(turn.input_json));
        return inputs;
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, StoredResponses, testing::each_database(), testing::database_name);

TEST_P(StoredResponses, AreFoundByWhoAskedAlone) {
    add("resp_1");
    const auto mine = find_response(*database_, "resp_1", "o");
    ASSERT_TRUE(mine && *mine);
    EXPECT_EQ((*mine)->response_json, R"({"id":"resp_1"})");
    EXPECT_EQ((*mine)->created, access::UtcTime(std::chrono::seconds(1)));
    EXPECT_EQ(find_response(*database_, "resp_1", "another").value(), std::nullopt);
    EXPECT_EQ(find_response(*database_, "resp_2", "o").value(), std::nullopt);
    EXPECT_FALSE(delete_response(*database_, "resp_1", "another").value());
    EXPECT_TRUE(delete_response(*database_, "resp_1", "o").value());
    EXPECT_FALSE(delete_response(*database_, "resp_1", "o").value());
}

TEST_P(StoredResponses, MakeAConversation) {
    add("resp_1");
    add("resp_2", "resp_1");
    add("resp_3", "resp_2");
    add("resp_4", "resp_2");
    EXPECT_THAT(turns("resp_3"), ElementsAre(R"("in resp_1")", R"("in resp_2")", R"("in resp_3")"));
    EXPECT_THAT(turns("resp_4"), ElementsAre(R"("in resp_1")", R"("in resp_2")", R"("in resp_4")"));
    EXPECT_THAT(turns("resp_3", "another"), IsEmpty());
    const auto too_long = find_turns(*database_, "resp_3", "o", 60);
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().kind, ErrorKind::request_too_large);
    // Without its beginning it would say something else.
    EXPECT_TRUE(delete_response(*database_, "resp_1", "o").value());
    EXPECT_THAT(turns("resp_3"), IsEmpty());
}

TEST_P(StoredResponses, EndOnceWhoeverEndsThem) {
    const access::UtcTime later(std::chrono::seconds(9));
    ASSERT_TRUE(add_response(*database_, {.id = "resp_1",
                                          .owner = "o",
                                          .input_json = "[]",
                                          .response_json = "{}",
                                          .running_until = later}));
    add("resp_2");
    EXPECT_EQ(find_response(*database_, "resp_1", "o").value()->running_until, later);
    EXPECT_FALSE(find_response(*database_, "resp_2", "o").value()->running_until);
    EXPECT_TRUE(prolong_response(*database_, "resp_1", later).value());
    EXPECT_FALSE(prolong_response(*database_, "resp_2", later).value());
    EXPECT_TRUE(end_response(*database_, "resp_1", R"({"a":1})", "data: 1\n\n").value());
    EXPECT_FALSE(end_response(*database_, "resp_1", R"({"b":1})", "").value());
    EXPECT_FALSE(prolong_response(*database_, "resp_1", later).value());
    const auto ended = find_response(*database_, "resp_1", "o").value();
    EXPECT_EQ(ended->response_json, R"({"a":1})");
    EXPECT_FALSE(ended->running_until);
    EXPECT_EQ(read_frames(*database_, "resp_1", "o").value(), "data: 1\n\n");
    EXPECT_EQ(read_frames(*database_, "resp_1", "another").value(), "");
    EXPECT_EQ(read_frames(*database_, "resp_2", "o").value(), "");
}

TEST_P(StoredResponses, GoInTime) {
    add("resp_1", "", "o", 1);
    add("resp_2", "", "o", 2);
    EXPECT_EQ(delete_responses_before(*database_, access::UtcTime(std::chrono::seconds(2))).value(),
              1);
    EXPECT_THAT(turns("resp_1"), IsEmpty());
    EXPECT_THAT(turns("resp_2"), ElementsAre(R"("in resp_2")"));
}

}  // namespace
}  // namespace runnel::storage
