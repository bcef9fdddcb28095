#include "storage/audit.hpp"

#include "storage/keys/keys.hpp"
#include "support/databases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::storage {
namespace {

using access::Key;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Actor admin{"token", "10.0.0.1"};
const Actor somebody{"command line", "alice"};

class AuditLog : public testing::OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (!IsSkipped()) database_ = open();
    }
    std::vector<AuditEntry> entries(const AuditFilter& filter = {}) {
        auto page = list_audit_entries(*database_, filter);
        return page ? std::move(page->entries) : std::vector<AuditEntry>();
    }
    std::vector<std::string> actions(const AuditFilter& filter = {}) {
        std::vector<std::string> names;
        for (AuditEntry& entry : entries(filter)) names.push_back(std::move(entry.action));
        return names;
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, AuditLog, testing::each_database(), testing::database_name);

Key new_key(const std::string& id) {
    Key key;
    key.id = id;
    key.hash = "hash of " + id;
    key.masked = "rk-…1234";
    key.models = {"gpt-5"};
    return key;
}

TEST_P(AuditLog, SaysWhoDidWhatToAKeyAndWhatChanged) {
    ASSERT_TRUE(insert_key(*database_, new_key("k"), admin));
    ASSERT_TRUE(change_key(*database_, "k", somebody, [](Key& key) -> Result<void> {
        key.models = {"gpt-5", "smart"};
        return {};
    }));
    ASSERT_TRUE(change_key(*database_, "k", admin, [](Key& key) -> Result<void> {
        key.hash = "another";
        key.masked = "rk-…5678";
        return {};
    }));
    ASSERT_TRUE(delete_key(*database_, "k", admin));
    const auto all = entries();
    ASSERT_THAT(actions(), ElementsAre("key.revoke", "key.rotate", "key.update", "key.create"));
    EXPECT_EQ(all[2].by.name, "command line");
    EXPECT_EQ(all[2].by.address, "alice");
    EXPECT_EQ(all[2].subject, "k");
    EXPECT_EQ(all[2].changes_json, R"({"models":[["gpt-5"],["gpt-5","smart"]]})");
    EXPECT_EQ(all[1].changes_json, R"({"masked":["rk-…1234","rk-…5678"]})");
    EXPECT_THAT(all[3].changes_json, HasSubstr(R"("models":[null,["gpt-5"]])"));
    for (const AuditEntry& entry : all) {
        EXPECT_THAT(entry.changes_json, Not(HasSubstr("hash of")));
        EXPECT_GT(entry.at.time_since_epoch().count(), 0);
    }
}

TEST_P(AuditLog, HasNothingOfAChangeThatWasRefused) {
    ASSERT_TRUE(insert_key(*database_, new_key("k"), admin));
    EXPECT_FALSE(insert_key(*database_, new_key("k"), admin));
    EXPECT_FALSE(delete_key(*database_, "nobody", admin));
    EXPECT_FALSE(change_key(*database_, "k", admin, [](Key& key) -> Result<void> {
        key.name = "new";
        return fail(ErrorKind::insufficient_scope, "no");
    }));
    EXPECT_THAT(actions(), ElementsAre("key.create"));
}

TEST_P(AuditLog, IsListedPageByPageAndByWhatIsAskedFor) {
    for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(insert_key(*database_, new_key(id), admin));
    ASSERT_TRUE(delete_key(*database_, "b", somebody));
    EXPECT_THAT(actions({.action = "key.revoke"}), ElementsAre("key.revoke"));
    EXPECT_THAT(actions({.subject = "b"}), ElementsAre("key.revoke", "key.create"));
    auto first = list_audit_entries(*database_, {.limit = 3});
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->has_more);
    ASSERT_EQ(first->entries.size(), 3U);
    auto second = list_audit_entries(*database_, {.before = first->entries.back().id, .limit = 3});
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->has_more);
    ASSERT_EQ(second->entries.size(), 1U);
    EXPECT_EQ(second->entries[0].subject, "a");
}

}  // namespace
}  // namespace runnel::storage
