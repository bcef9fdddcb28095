#include "storage/keys/keys.hpp"

#include "support/databases.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace runnel::storage {
namespace {

using access::Key;

const Actor admin{"token", "127.0.0.1"};

Key full_key() {
    Key key;
    key.id = "key-1";
    key.name = "O'Brien \"laptop\"";
    key.hash = "abc";
    key.masked = "rk-…1234";
    key.old_hash = "def";
    key.old_hash_until = access::UtcTime(std::chrono::milliseconds(1'800'000'000'456));
    key.kind = Key::Kind::browser;
    key.team = "blue";
    key.scopes = {"chat:write", "logs:read"};
    key.models = {"gpt-*", "smart"};
    key.tools = {"files"};
    key.enabled = false;
    key.expires_at = access::UtcTime(std::chrono::milliseconds(1'800'000'000'123));
    key.origins = {"https://app.example"};
    key.addresses = {"10.0.0.0/8", "::1"};
    key.wallet = "0xabc";
    key.dialect = "timeline";
    key.limits = {.rpm = 1, .rpd = 2, .tpm = 3, .tpd = 4, .concurrency = 5};
    key.model_limits = {{"smart \\ \"x\"", {.rpm = 7}}, {"gpt-5", {.tpd = 9}}};
    key.budget = access::Budget{Money::from_usd(1.25), access::Budget::Period::month};
    key.guardrails = {"pii"};
    key.keeps_content = true;
    key.may_cache = false;
    key.metadata_json = R"({"owner":"é"})";
    key.created_at = access::UtcTime(std::chrono::milliseconds(1'700'000'000'000));
    key.updated_at = access::UtcTime(std::chrono::milliseconds(1'700'000'000'001));
    return key;
}

Key plain_key(const std::string& id) {
    Key key;
    key.id = id;
    key.hash = "hash of " + id;
    return key;
}

void expect_same(const Key& a, const Key& b) {
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.hash, b.hash);
    EXPECT_EQ(a.masked, b.masked);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.team, b.team);
    EXPECT_EQ(a.scopes, b.scopes);
    EXPECT_EQ(a.models, b.models);
    EXPECT_EQ(a.tools, b.tools);
    EXPECT_EQ(a.enabled, b.enabled);
    EXPECT_EQ(a.expires_at, b.expires_at);
    EXPECT_EQ(a.origins, b.origins);
    EXPECT_EQ(a.addresses, b.addresses);
    EXPECT_EQ(a.wallet, b.wallet);
    EXPECT_EQ(a.dialect, b.dialect);
    EXPECT_EQ(a.limits, b.limits);
    EXPECT_EQ(a.model_limits, b.model_limits);
    EXPECT_EQ(a.budget, b.budget);
    EXPECT_EQ(a.guardrails, b.guardrails);
    EXPECT_EQ(a.keeps_content, b.keeps_content);
    EXPECT_EQ(a.may_cache, b.may_cache);
    EXPECT_EQ(a.metadata_json, b.metadata_json);
    EXPECT_EQ(a.created_at, b.created_at);
    EXPECT_EQ(a.updated_at, b.updated_at);
}

class StoredKeys : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    std::int64_t version() { return keys_version(*database_).value_or(-1); }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, StoredKeys, testing::each_database(), testing::database_name);

TEST_P(StoredKeys, ComeBackWithAllTheirMembers) {
    for (const Key& key : {full_key(), plain_key("key-2")}) {
        ASSERT_TRUE(insert_key(*database_, key, admin));
        auto found = find_key(*database_, key.id);
        ASSERT_TRUE(found);
        ASSERT_TRUE(*found);
        expect_same(**found, key);
    }
    auto list = list_keys(*database_);
    ASSERT_TRUE(list);
    ASSERT_EQ(list->keys.size(), 2U);
    EXPECT_EQ(list->version, 2);
    auto nobody = find_key(*database_, "key-3");
    ASSERT_TRUE(nobody);
    EXPECT_FALSE(*nobody);
}

TEST_P(StoredKeys, EveryChangeRaisesTheVersionAndNothingElseDoes) {
    EXPECT_EQ(version(), 0);
    ASSERT_TRUE(insert_key(*database_, plain_key("a"), admin));
    EXPECT_EQ(version(), 1);
    EXPECT_TRUE(list_keys(*database_));
    EXPECT_EQ(version(), 1);
    auto changed = change_key(*database_, "a", admin, [](Key& key) -> Result<void> {
        key = full_key();
        return {};
    });
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->id, "a");
    EXPECT_EQ(changed->name, full_key().name);
    EXPECT_EQ(version(), 2);
    ASSERT_TRUE(delete_key(*database_, "a", admin));
    EXPECT_EQ(version(), 3);
    EXPECT_TRUE(list_keys(*database_)->keys.empty());
}

TEST_P(StoredKeys, WhatIsRefusedChangesNothing) {
    ASSERT_TRUE(insert_key(*database_, plain_key("a"), admin));
    auto again = insert_key(*database_, plain_key("a"), admin);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, ErrorKind::invalid_value);
    Key same_secret = plain_key("a");
    same_secret.id = "b";
    EXPECT_EQ(insert_key(*database_, same_secret, admin).error().kind, ErrorKind::invalid_value);

    const auto keep = [](Key&) -> Result<void> { return {}; };
    EXPECT_EQ(change_key(*database_, "b", admin, keep).error().kind, ErrorKind::not_found);
    EXPECT_EQ(delete_key(*database_, "b", admin).error().kind, ErrorKind::not_found);
    auto refused = change_key(*database_, "a", admin, [](Key& key) -> Result<void> {
        key.name = "new";
        return fail(ErrorKind::insufficient_scope, "no");
    });
    EXPECT_EQ(refused.error().kind, ErrorKind::insufficient_scope);
    EXPECT_EQ((*find_key(*database_, "a"))->name, "");
    EXPECT_EQ(version(), 1);
}

TEST_P(StoredKeys, ChangesAtOnceAreAllMade) {
    ASSERT_TRUE(insert_key(*database_, plain_key("a"), admin));
    constexpr int people = 4;
    constexpr int times = 10;
    {
        std::vector<std::jthread> threads;
        for (int person = 0; person < people; ++person)
            threads.emplace_back([&, database = std::shared_ptr(open())] {
                for (int i = 0; i < times; ++i)
                    EXPECT_TRUE(change_key(*database, "a", admin, [](Key& key) -> Result<void> {
                        key.limits.rpm = key.limits.rpm.value_or(0) + 1;
                        return {};
                    }));
            });
    }
    EXPECT_EQ((*find_key(*database_, "a"))->limits.rpm, people * times);
    EXPECT_EQ(version(), 1 + people * times);
}

}  // namespace
}  // namespace runnel::storage
