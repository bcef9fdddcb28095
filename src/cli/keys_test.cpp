#include "cli/keys.hpp"

#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr access::UtcTime now(1'800'000'000s);

std::string body(const KeyOptions& options) {
    const auto made = key_body(options, now);
    return made ? *made : made.error().message;
}

TEST(KeysCommand, OptionsBecomeABody) {
    EXPECT_EQ(body({}), "{}");
    EXPECT_EQ(
        body({.name = "n", .models = {"a", "b"}, .rpm = 5, .budget_usd = 0.5, .enabled = false}),
        R"({"name":"n","models":["a","b"],"limits":{"rpm":5},"budget":{"usd":0.5},)"
        R"("enabled":false})");
    EXPECT_EQ(body({.tools = {"files", "now"}}), R"({"tools":["files","now"]})");
    EXPECT_EQ(body({.name = "n",
                    .fields_json = R"({"name": "m", "metadata": {"a": 1}})",
                    .clear = {"team"}}),
              R"({"name":"m","metadata":{"a":1},"team":null,"name":"n"})")
        << "options win: the last one counts";
    EXPECT_THAT(body({.fields_json = "[]"}), HasSubstr("--fields: the body must be a JSON object"));
}

TEST(KeysCommand, ExpiryIsATimeOrASpan) {
    const auto expiry = [](const char* text) { return body({.expires = text}); };
    EXPECT_EQ(expiry("30d"), R"({"expires_at":"2027-02-14T08:00:00Z"})");
    EXPECT_EQ(expiry("12h"), R"({"expires_at":"2027-01-15T20:00:00Z"})");
    EXPECT_EQ(expiry("never"), R"({"expires_at":null})");
    EXPECT_EQ(expiry("2027-01-31T12:00:00Z"), R"({"expires_at":"2027-01-31T12:00:00Z"})");
    EXPECT_EQ(expiry("d"), R"({"expires_at":"d"})") << "which is refused where it is read";
}

TEST(KeysCommand, KeysLiveInTheStore) {
    const testing::TemporaryFolder folder;
    config::Config config;
    config.data = folder.path();
    auto cabinet = KeyCabinet::open(&config);
    ASSERT_TRUE(cabinet) << cabinet.error().message;
    const auto made = cabinet->create({.name = "laptop", .team = "blue"});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(cabinet->all()->find_by_secret(made->secret.reveal(), now)->id, made->key.id);

    EXPECT_EQ(cabinet->update(made->key.id, {.name = "desk"})->key.name, "desk");
    EXPECT_FALSE(cabinet->update(made->key.id, {.name = "x", .scopes = {"what"}}));
    EXPECT_EQ(cabinet->show(made->key.id)->key.name, "desk");

    const auto rotated = cabinet->rotate(made->key.id, 0ms);
    EXPECT_EQ(cabinet->all()->find_by_secret(made->secret.reveal(), now), nullptr);
    EXPECT_NE(cabinet->all()->find_by_secret(rotated->secret.reveal(), now), nullptr);

    EXPECT_TRUE(cabinet->revoke(made->key.id));
    EXPECT_EQ(cabinet->revoke(made->key.id).error().kind, ErrorKind::not_found);
    EXPECT_EQ(cabinet->show(made->key.id).error().kind, ErrorKind::not_found);
    EXPECT_TRUE(cabinet->all()->keys().empty());
}

TEST(KeysCommand, ATableHasOneLineAKey) {
    access::Key one{.id = "key_1", .name = "laptop", .masked = "rk-Ab3f...9xYz"};
    access::Key two{.id = "key_22", .masked = "pk-0000...0000", .enabled = false};
    one.expires_at = now;
    two.models = {"fast", "openai/*"};
    EXPECT_EQ(key_table({{&two, &one}}, now),
              "ID      KEY             STATE     NAME    TEAM  MODELS         EXPIRES\n"
              "key_22  pk-0000...0000  disabled                fast openai/*  never\n"
              "key_1   rk-Ab3f...9xYz  expired   laptop        all            "
              "2027-01-15T08:00:00Z\n");
    EXPECT_EQ(describe(one), "id             key_1\n"
                             "masked         rk-Ab3f...9xYz\n"
                             "name           laptop\n"
                             "kind           secret\n"
                             "enabled        true\n"
                             "expires_at     2027-01-15T08:00:00Z\n"
                             "keeps_content  false\n"
                             "may_cache      true\n"
                             "created_at     1970-01-01T00:00:00Z\n"
                             "updated_at     1970-01-01T00:00:00Z\n");
}

}  // namespace
}  // namespace runnel::cli
