#include "server/url.hpp"

#include <gtest/gtest.h>

#include <array>

namespace runnel::server {
namespace {

TEST(Url, FindsAFlagInAQueryWithAValueOrWithout) {
    EXPECT_TRUE(has_flag("verbose", "verbose"));
    EXPECT_TRUE(has_flag("a=1&verbose", "verbose"));
    EXPECT_TRUE(has_flag("verbose=true&a", "verbose"));
    EXPECT_FALSE(has_flag("", "verbose"));
    EXPECT_FALSE(has_flag("verbosely&x=verbose", "verbose"));
}

TEST(Url, APathHasOneNameWhateverClientsCallIt) {
    EXPECT_EQ(plain_path("/v1/models"), "/v1/models");
    EXPECT_EQ(plain_path("/api/v1/models"), "/v1/models");
    EXPECT_EQ(plain_path("/openai/v1/responses"), "/v1/responses");
    EXPECT_EQ(plain_path("/anthropic/v1/messages"), "/v1/messages");
    EXPECT_EQ(plain_path("/chat/completions"), "/v1/chat/completions");
    EXPECT_EQ(plain_path("/models/a/b"), "/v1/models/a/b");
    EXPECT_EQ(plain_path("//v1///chat//completions/"), "/v1/chat/completions");
    EXPECT_EQ(plain_path("/openai/deployments/mine/chat/completions"), "/v1/chat/completions");
    EXPECT_EQ(plain_path("/"), "/");
    EXPECT_EQ(plain_path("///"), "/");
    EXPECT_EQ(plain_path(""), "");
    EXPECT_EQ(plain_path("*"), "*");
}

TEST(Url, WhatIsNoOtherNameStaysAsItIs) {
    for (const std::string_view path :
         {"/api/health", "/api/admin/v1/keys", "/openai/admin/v1/keys", "/openai/v1x/models",
          "/modelsx", "/chat", "/v1/../admin/v1/keys", "/v1/%2e%2e/admin", "/%2Fadmin/v1/keys",
          "/openai/deployments/mine", "/openai/deployments", "/api/openai/v1/models"})
        EXPECT_EQ(plain_path(path), path);
}

// However it is written, what is the admin's is under /admin/ for everybody who decides by it.
TEST(Url, NoOtherNameLeadsToWhatIsTheAdmins) {
    EXPECT_EQ(plain_path("//admin//v1/keys/"), "/admin/v1/keys");
    for (const std::string_view path :
         {"/openai/deployments/x/../admin/v1/keys", "/openai/deployments/../admin/v1/keys",
          "/openai/deployments/x/admin/v1/keys", "/anthropic/v1/../../admin/v1/keys"})
        EXPECT_FALSE(plain_path(path).starts_with("/admin")) << path;
}

TEST(Url, ADeploymentIsInThePath) {
    EXPECT_EQ(deployment_in("/openai/deployments/my%20model/chat/completions"), "my model");
    EXPECT_EQ(deployment_in("//openai/deployments//m/chat/completions"), "m");
    EXPECT_EQ(deployment_in("/openai/deployments/m"), "");
    EXPECT_EQ(deployment_in("/v1/chat/completions"), "");
}

TEST(Url, ThePathsThatPagesMayBeAtLackTheVersion) {
    EXPECT_TRUE(lacks_version("/models"));
    EXPECT_TRUE(lacks_version("//models/"));
    EXPECT_FALSE(lacks_version("/v1/models"));
    EXPECT_FALSE(lacks_version("/keys"));
}

TEST(Url, AQueryHasFields) {
    using Fields = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(query_fields("a=1&b=x%26y&&c&d=&a=2=3"),
              (Fields{{"a", "1"}, {"b", "x&y"}, {"c", ""}, {"d", ""}, {"a", "2=3"}}));
    EXPECT_EQ(query_fields("team=two+words&plus=%2B"),
              (Fields{{"team", "two words"}, {"plus", "+"}}));
    EXPECT_TRUE(query_fields("").empty());
}

constexpr std::array<std::string_view, 3> names{"team", "from", "limit"};

TEST(Query, ReadsSpacesAsFormsWriteThem) {
    const auto query = Query::read("team=two+words", names);
    ASSERT_TRUE(query);
    EXPECT_EQ(query->text("team"), "two words");
}

TEST(Query, TakesTimesWithAPlusThatNobodyEscaped) {
    for (const std::string_view text : {"2026-11-15T12:00:00+02:00", "2026-11-15T12:00:00%2B02:00",
                                        "2026-11-15T10:00:00Z", "1794736800"}) {
        const auto query = Query::read("from=" + std::string(text), names);
        ASSERT_TRUE(query);
        const auto time = query->time("from");
        ASSERT_TRUE(time && *time) << text;
        EXPECT_EQ((*time)->time_since_epoch(), std::chrono::seconds(1794736800)) << text;
    }
}

TEST(Query, NamesTheNearestParameter) {
    const auto query = Query::read("limt=3", names);
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().message,
              "there is no parameter 'limt' here; there are: team, from, limit; did you mean "
              "'limit'?");
}

TEST(Query, SaysWhichNumbersFit) {
    const auto query = Query::read("limit=1000", names);
    ASSERT_TRUE(query);
    const auto number = query->number("limit", 20, 1, 100);
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().message, "limit is a whole number from 1 to 100, not '1000'");
    EXPECT_EQ(query->number("other", 20, 1, 100).value(), 20);
}

}  // namespace
}  // namespace runnel::server
