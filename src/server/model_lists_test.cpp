#include "server/model_lists.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::server {
namespace {

std::vector<router::Router::Listed> models(std::initializer_list<std::string_view> ids) {
    std::vector<router::Router::Listed> listed;
    for (const std::string_view id : ids)
        listed.push_back({.id = std::string(id), .owned_by = "x"});
    return listed;
}

// The ids of a page and whether there are more.
std::string page(const QueryFields& query) {
    const auto all = models({"a", "b", "c", "d"});
    const auto body = messages_models_json(all, query, 0);
    if (!body) return body.error().param;
    std::string ids;
    for (const std::string_view id : {"a", "b", "c", "d"})
        if (body->contains("\"id\":\"" + std::string(id) + "\"")) ids += id;
    return ids + (body->contains("\"has_more\":true") ? "+" : "");
}

TEST(MessagesModels, AreTheBodyThatAnthropicsClientsRead) {
    auto listed = models({"claude"});
    listed[0].facts.context_length = 200000;
    EXPECT_EQ(*messages_models_json(listed, {}, 1700000000),
              R"({"data":[{"type":"model","id":"claude","display_name":"claude",)"
              R"("created_at":"2023-11-14T22:13:20Z","max_input_tokens":200000}],)"
              R"("has_more":false,"first_id":"claude","last_id":"claude"})");
    EXPECT_TRUE(messages_models_json({}, {}, 0)->ends_with(R"("first_id":null,"last_id":null})"));
}

TEST(MessagesModels, ComeInPages) {
    EXPECT_EQ(page({}), "abcd");
    EXPECT_EQ(page({{"limit", "2"}}), "ab+");
    EXPECT_EQ(page({{"limit", "2"}, {"after_id", "b"}}), "cd");
    EXPECT_EQ(page({{"limit", "2"}, {"after_id", "d"}}), "");
    EXPECT_EQ(page({{"limit", "2"}, {"before_id", "d"}}), "bc+");
    EXPECT_EQ(page({{"limit", "5"}, {"before_id", "b"}}), "a");
    EXPECT_EQ(page({{"limit", "1"}, {"after_id", "a"}, {"before_id", "d"}}), "b+");
    EXPECT_EQ(page({{"after_id", "c"}, {"before_id", "a"}}), "");
}

TEST(MessagesModels, RefuseWhatIsNoPage) {
    EXPECT_EQ(page({{"limit", "0"}}), "limit");
    EXPECT_EQ(page({{"limit", "1001"}}), "limit");
    EXPECT_EQ(page({{"limit", "x"}}), "limit");
    EXPECT_EQ(page({{"after_id", "z"}}), "after_id");
    EXPECT_EQ(page({{"before_id", "z"}}), "before_id");
}

TEST(GeminiModels, ComeInPagesThatNameTheNext) {
    const auto all = models({"a", "b/c"});
    EXPECT_EQ(*gemini_models_json(all, {{"pageSize", "1"}}),
              R"({"models":[{"name":"models/a","displayName":"a","version":"1",)"
              R"("supportedGenerationMethods":["generateContent","streamGenerateContent",)"
              R"("countTokens"]}],"nextPageToken":"1"})");
    const auto last = gemini_models_json(all, {{"pageSize", "1"}, {"pageToken", "1"}});
    EXPECT_TRUE(last->contains("models/b/c"));
    EXPECT_FALSE(last->contains("nextPageToken"));
    EXPECT_EQ(gemini_models_json(all, {{"pageToken", "3"}}).error().param, "pageToken");
}

}  // namespace
}  // namespace runnel::server
