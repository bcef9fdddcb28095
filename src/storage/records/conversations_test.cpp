#include "storage/records/conversations.hpp"

#include "storage/limits.hpp"
#include "support/databases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

access::UtcTime at(int second) { return access::UtcTime(std::chrono::seconds(second)); }

class Conversations : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    void make(const std::string& id, int second = 1) {
        ASSERT_TRUE(add_conversation(*database_, {.id = id, .owner = "o", .created = at(second)}));
    }
    Result<bool> add(const std::string& id, const std::vector<std::string>& item_ids,
                     const std::string& owner = "o", int second = 1) {
        std::vector<ConversationItem> items;
        for (const std::string& item : item_ids)
            items.push_back({item, R"({"id":")" + item + R"("})"});
        return add_conversation_items(*database_, id, owner, items, at(second));
    }
    std::vector<std::string> items(const std::string& id, const ItemsAsked& asked = {}) {
        std::vector<std::string> ids;
        auto found = read_conversation_items(*database_, id, "o", asked);
        if (found && *found)
            for (const ConversationItem& item : **found) ids.push_back(item.id);
        return ids;
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, Conversations, testing::each_database(), testing::database_name);

TEST_P(Conversations, AreTheirMakersAlone) {
    make("conv_1");
    EXPECT_TRUE(add("conv_1", {"a"}).value());
    EXPECT_FALSE(add("conv_1", {"b"}, "another").value());
    EXPECT_FALSE(add("conv_2", {"b"}).value());
    EXPECT_EQ(find_conversation(*database_, "conv_1", "o").value()->metadata_json, "{}");
    EXPECT_EQ(find_conversation(*database_, "conv_1", "another").value(), std::nullopt);
    EXPECT_EQ(read_conversation_items(*database_, "conv_1", "another", {}).value(), std::nullopt);
    EXPECT_EQ(find_conversation_item(*database_, "conv_1", "another", "a").value(), std::nullopt);
    EXPECT_FALSE(delete_conversation_item(*database_, "conv_1", "another", "a").value());
    EXPECT_FALSE(set_conversation_metadata(*database_, "conv_1", "another", "{}").value());
    EXPECT_FALSE(delete_conversation(*database_, "conv_1", "another").value());
    EXPECT_THAT(items("conv_1"), ElementsAre("a"));
    EXPECT_TRUE(set_conversation_metadata(*database_, "conv_1", "o", R"({"a":"b"})").value());
    EXPECT_EQ(find_conversation(*database_, "conv_1", "o").value()->metadata_json, R"({"a":"b"})");
}

TEST_P(Conversations, KeepTheirItemsInOrder) {
    make("conv_1");
    make("conv_2");
    EXPECT_TRUE(add("conv_1", {"a", "b"}).value());
    EXPECT_TRUE(add("conv_2", {"x"}).value());
    EXPECT_TRUE(add("conv_1", {"c"}).value());
    EXPECT_TRUE(add("conv_1", {}).value());
    EXPECT_THAT(items("conv_1"), ElementsAre("a", "b", "c"));
    const auto newest = ItemsAsked::Order::newest_first;
    EXPECT_THAT(items("conv_1", {.order = newest, .limit = 2}), ElementsAre("c", "b"));
    EXPECT_THAT(items("conv_1", {.order = newest, .after = "b"}), ElementsAre("a"));
    EXPECT_THAT(items("conv_1", {.after = "a", .limit = 1}), ElementsAre("b"));
    EXPECT_FALSE(read_conversation_items(*database_, "conv_1", "o", {.after = "x"}));
    EXPECT_TRUE(delete_conversation_item(*database_, "conv_1", "o", "b").value());
    EXPECT_FALSE(delete_conversation_item(*database_, "conv_1", "o", "b").value());
    EXPECT_TRUE(add("conv_1", {"d"}).value());
    EXPECT_THAT(items("conv_1"), ElementsAre("a", "c", "d"));
    EXPECT_EQ(find_conversation_item(*database_, "conv_1", "o", "c").value()->json,
              R"({"id":"c"})");
}

TEST_P(Conversations, HaveALimit) {
    make("conv_1");
    EXPECT_TRUE(add("conv_1", {"a"}).value());
    const std::vector<std::string> many(limits::conversation_items, "b");
    const auto added = add("conv_1", many);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().kind, ErrorKind::request_too_large);
    EXPECT_THAT(items("conv_1"), ElementsAre("a"));
}

TEST_P(Conversations, GoWithTheirItemsWhenNobodyUsesThem) {
    make("conv_1", 1);
    make("conv_2", 1);
    EXPECT_TRUE(add("conv_1", {"a"}, "o", 1).value());
    EXPECT_TRUE(add("conv_2", {"b"}, "o", 2).value());
    EXPECT_EQ(delete_conversations_before(*database_, at(2)).value(), 1);
    EXPECT_EQ(find_conversation(*database_, "conv_1", "o").value(), std::nullopt);
    EXPECT_THAT(items("conv_2"), ElementsAre("b"));
    EXPECT_TRUE(delete_conversation(*database_, "conv_2", "o").value());
    auto left = database_->run("SELECT COUNT(*) FROM conversation_items");
    ASSERT_TRUE(left);
    EXPECT_EQ(left->integer(0, 0), 0);
}

}  // namespace
}  // namespace runnel::storage
