#include "tools/builtin/search_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::Contains;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using Provider = SearchConfig::Provider;

TEST(SearchApi, AsksEachProviderItsOwnWay) {
    const auto searxng = write_search({Provider::searxng, "http://127.0.0.1:8888/"}, "a b&c", 5);
    EXPECT_EQ(searxng->url.text(), "http://127.0.0.1:8888/search?q=a%20b%26c&format=json");
    const auto brave = write_search({Provider::brave, "", Secret("k")}, "x", 3);
    EXPECT_EQ(brave->url.text(), "https://api.search.brave.com/res/v1/web/search?q=x&count=3");
    EXPECT_THAT(brave->headers, Contains(FieldsAre("X-Subscription-Token", "k")));
    const auto tavily = write_search({Provider::tavily, "http://t/search", Secret("k")}, "\"", 2);
    EXPECT_EQ(tavily->url.text(), "http://t/search");
    EXPECT_EQ(tavily->method, "POST");
    EXPECT_EQ(tavily->body, R"({"query":"\"","max_results":2})");
    EXPECT_THAT(tavily->headers, Contains(FieldsAre("Authorization", "Bearer k")));
}

TEST(SearchApi, ReadsTheHits) {
    const auto hits = read_hits({Provider::searxng},
                                R"({"query":"x","results":[{"title":"A &amp; B","url":"http://a",)"
                                R"("content":"one"},{"title":"no url"},{"url":"http://b"},)"
                                R"({"url":"http://c"}]})",
                                2);
    ASSERT_TRUE(hits);
    ASSERT_EQ(hits->size(), 2u);
    EXPECT_EQ(hits->at(0).title, "A & B");
    EXPECT_EQ(hits->at(0).snippet, "one");
    EXPECT_EQ(hits->at(1).url, "http://b");
    const auto brave = read_hits(
        {Provider::brave},
        R"({"web":{"results":[{"title":"t","url":"u","description":"a <strong>b</strong>"}]}})", 5);
    EXPECT_EQ(brave->at(0).snippet, "a b");
    EXPECT_TRUE(read_hits({Provider::brave}, R"({"mixed":{}})", 5)->empty());
}

TEST(SearchApi, ExplainsAnAnswerThatIsNone) {
    const auto refused = read_hits({Provider::searxng}, "<html>", 5);
    EXPECT_THAT(refused.error().message, HasSubstr("must allow the format json"));
    EXPECT_FALSE(read_hits({Provider::tavily}, "[]", 5));
    EXPECT_FALSE(read_hits({Provider::tavily}, "", 5));
}

}  // namespace
}  // namespace runnel::tools
