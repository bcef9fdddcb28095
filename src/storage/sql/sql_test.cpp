#include "storage/sql/sql.hpp"

#include "storage/sql/postgres.hpp"
#include "support/databases.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>

namespace runnel::storage {
namespace {

using testing::OnEachDatabase;
using testing::shared_postgres;

class Sql : public OnEachDatabase {
protected:
    void SetUp() override {
        OnEachDatabase::SetUp();
        if (IsSkipped()) return;
        database_ = open();
        ASSERT_TRUE(database_->run("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT)"));
    }
    std::int64_t count() {
        auto rows = database_->run("SELECT COUNT(*) FROM things");
        return rows ? rows->integer(0, 0) : -1;
    }
    Result<Rows> insert(std::int64_t id, Parameter name = nullptr) {
        return database_->run("INSERT INTO things (id, name) VALUES ($1, $2)", {id, name});
    }

    std::unique_ptr<Database> database_;
};
INSTANTIATE_TEST_SUITE_P(, Sql, testing::each_database(), testing::database_name);

TEST_P(Sql, GivesBackWhatWasStored) {
    for (const std::string& text : {std::string(""), std::string("it's $1; \"quoted\" \\ é 漢 🎉"),
                                    std::string(100'000, 'x')}) {
        auto rows = database_->run("SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT)",
                                   {text, std::int64_t{-9'007'199'254'740'993}});
        ASSERT_TRUE(rows) << rows.error().detail;
        EXPECT_EQ(rows->text(0, 0), text);
        EXPECT_EQ(rows->integer(0, 1), -9'007'199'254'740'993);
    }
    ASSERT_TRUE(insert(1));
    auto rows = database_->run("SELECT name FROM things");
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->is_null(0, 0));
    EXPECT_EQ(rows->text(0, 0), "");
}

TEST_P(Sql, TakesParametersByNumberNotByPlace) {
    auto rows =
        database_->run("SELECT CAST($2 AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT)", {"a", "b"});
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->text(0, 0), "b");
    EXPECT_EQ(rows->text(0, 1), "a");
    EXPECT_EQ(rows->text(0, 2), "b");
}

TEST_P(Sql, StoresWhatIsNoTextAsReplacementCharacters) {
    ASSERT_TRUE(insert(1, std::string_view("a\0b\xff c\xc3", 7)));
    auto rows = database_->run("SELECT name FROM things");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->text(0, 0), "a\uFFFDb\uFFFD c\uFFFD");
}

TEST_P(Sql, RunsAStatementForEachRowOfParameters) {
    std::vector<Parameter> parameters;
    for (std::int64_t id = 0; id < 1000; ++id) {
        parameters.emplace_back(id);
        parameters.emplace_back("name");
    }
    ASSERT_TRUE(database_->transaction([&]() -> Result<void> {
        auto rows = database_->run_each(
            "INSERT INTO things (id, name) VALUES ($1, $2) RETURNING id", 2, parameters);
        EXPECT_TRUE(rows);
        EXPECT_EQ(rows->size(), 1000U);
        EXPECT_EQ(rows->integer(999, 0), 999);
        return {};
    }));
    EXPECT_EQ(count(), 1000);
    EXPECT_TRUE(database_->run_each("DELETE FROM things WHERE id = $1", 1, {}));
    EXPECT_EQ(count(), 1000);
}

TEST_P(Sql, ATransactionIsAllOrNothing) {
    auto failed = database_->transaction([&]() -> Result<void> {
        EXPECT_TRUE(insert(1));
        return fail(ErrorKind::invalid_value, "enough");
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "enough");
    EXPECT_EQ(count(), 0);
    EXPECT_TRUE(database_->transaction([&]() -> Result<void> {
        EXPECT_TRUE(insert(1));
        return {};
    }));
    EXPECT_EQ(count(), 1);
}

TEST_P(Sql, AStatementThatFailsInAPipelineFailsTheTransaction) {
    const Parameter parameters[] = {1, "a", 2, "b", 1, "again", 3, "c"};
    auto failed = database_->transaction([&]() -> Result<void> {
        auto rows =
            database_->run_each("INSERT INTO things (id, name) VALUES ($1, $2)", 2, parameters);
        if (!rows) return propagate(rows);
        return {};
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::invalid_value);
    EXPECT_EQ(count(), 0);
}

TEST_P(Sql, TellsARefusedValueFromAStoreThatCannotBeUsed) {
    ASSERT_TRUE(insert(1));
    auto twice = insert(1);
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().kind, ErrorKind::invalid_value);
    auto unknown = database_->run("SELECT nothing FROM nowhere");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ErrorKind::store_unavailable);
    EXPECT_EQ(count(), 1);
}

TEST_P(Sql, KeepsManyDifferentStatementsInBounds) {
    for (int number = 0; number < 300; ++number)
        ASSERT_TRUE(database_->run("SELECT " + std::to_string(number)));
    EXPECT_EQ(count(), 0);
}

TEST_P(Sql, ConnectionsDoNotSeeEachOthersTransactions) {
    auto other = open();
    ASSERT_TRUE(database_->transaction([&]() -> Result<void> {
        EXPECT_TRUE(insert(1));
        auto rows = other->run("SELECT COUNT(*) FROM things");
        EXPECT_TRUE(rows);
        EXPECT_EQ(rows->integer(0, 0), 0);
        return {};
    }));
    auto rows = other->run("SELECT COUNT(*) FROM things");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->integer(0, 0), 1);
}

// --- SQLite alone
// -----------------------------------------------------------------------------------

storage::StoreSettings sqlite_settings() { return {}; }

TEST(Sqlite, IsForItsOwnerAlone) {
    const testing::TemporaryFolder folder;
    auto database = open_database(sqlite_settings(), folder.path() / "deep" / "data");
    ASSERT_TRUE(database) << database.error().message;
    struct stat file{};
    ASSERT_EQ(::stat((folder.path() / "deep/data/runnel.db").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST(Sqlite, AFolderThatCannotBeMadeIsNamed) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "x";
    auto database = open_database(sqlite_settings(), folder.path() / "file" / "data");
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().kind, ErrorKind::store_unavailable);
    EXPECT_NE(database.error().message.find("file/data"), std::string::npos);
}

TEST(Sqlite, AFileThatIsNoDatabaseIsAnError) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder.path() / "runnel.db") << std::string(10'000, 'x');
    auto database = open_database(sqlite_settings(), folder.path());
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().kind, ErrorKind::store_unavailable);
    EXPECT_NE(database.error().message.find("not a database"), std::string::npos);
}

TEST(Sqlite, OneThatIsOpenedLaterIsTriedUntilItCanBe) {
    const testing::TemporaryFolder folder;
    const auto file = folder.path() / "runnel.db";
    std::ofstream(file) << std::string(10'000, 'x');
    auto database = open_database_later(sqlite_settings(), folder.path());
    ASSERT_TRUE(database);
    const auto count_keys = [&] { return (*database)->run("SELECT COUNT(*) FROM api_keys"); };
    for (int i = 0; i < 3; ++i) {
        const auto failed = count_keys();
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().kind, ErrorKind::store_unavailable);
        EXPECT_NE(failed.error().message.find("not a database"), std::string::npos);
    }
    EXPECT_FALSE((*database)->transaction([]() -> Result<void> { return {}; }));
    std::filesystem::remove(file);
    // Not at once: a store that can't be opened is not tried with every call.
    EXPECT_FALSE(count_keys());
    Result<Rows> counted = count_keys();
    for (int i = 0; i < 100 && !counted; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        counted = count_keys();
    }
    ASSERT_TRUE(counted) << counted.error().message;
    EXPECT_EQ(counted->integer(0, 0), 0);
}

TEST(Sqlite, AFileThatIsGoneIsNotWrittenToAndNotMadeAnew) {
    const testing::TemporaryFolder folder;
    const auto file = folder.path() / "data" / "runnel.db";
    auto database = open_database(sqlite_settings(), folder.path() / "data");
    ASSERT_TRUE(database);
    const auto write = [&] {
        return (*database)->run("UPDATE counters SET value = value WHERE name = 'ledger_seq'");
    };
    const auto eventually = [&] {
        for (int i = 0; i < 100 && !write(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return write().has_value();
    };
    EXPECT_TRUE(write());
    std::filesystem::rename(folder.path() / "data", folder.path() / "away");
    for (int i = 0; i < 3; ++i) {
        const auto failed = write();
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().kind, ErrorKind::store_unavailable);
        EXPECT_NE(failed.error().message.find("is gone"), std::string::npos);
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::rename(folder.path() / "away", folder.path() / "data");
    EXPECT_TRUE(eventually());
    // Another one in its place is the store from then on.
    const testing::TemporaryFolder other;
    ASSERT_TRUE(open_database(sqlite_settings(), other.path()));
    for (const auto* const companion : {"-wal", "-shm"})
        std::filesystem::remove(file.string() + companion);
    std::filesystem::remove(file);
    EXPECT_FALSE(write());
    std::filesystem::copy_file(other.path() / "runnel.db", file);
    EXPECT_TRUE(eventually());
}

// A limit on the size of files stands in for a full disk.
TEST(Sqlite, AFullDiskIsAnErrorAndNothingIsLostOrHalfDone) {
    const testing::TemporaryFolder folder;
    auto database = open_database(sqlite_settings(), folder.path());
    ASSERT_TRUE(database);
    ASSERT_TRUE((*database)->run("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT)"));
    ASSERT_TRUE((*database)->run("INSERT INTO things VALUES (1, 'kept')"));

    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 300'000;
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string big(100'000, 'x');
    auto failed = (*database)->transaction([&]() -> Result<void> {
        for (std::int64_t id = 2; id < 50; ++id) {
            auto done = (*database)->run("INSERT INTO things VALUES ($1, $2)", {id, big});
            if (!done) return propagate(done);
        }
        return {};
    });
    ::setrlimit(RLIMIT_FSIZE, &before);

    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::store_unavailable);
    auto rows = (*database)->run("SELECT COUNT(*) FROM things");
    ASSERT_TRUE(rows) << rows.error().detail;
    EXPECT_EQ(rows->integer(0, 0), 1);
    EXPECT_TRUE((*database)->run("INSERT INTO things VALUES (2, $1)", {big}));
}

// --- PostgreSQL alone
// -------------------------------------------------------------------------------

storage::StoreSettings postgres_settings(std::string url) {
    return {.kind = storage::StoreSettings::Kind::postgres, .url = Secret(std::move(url))};
}

TEST(Postgres, AUrlThatIsNoneIsRefusedWithoutBeingShown) {
    for (const std::string_view url :
         {"postgres://u:hunter2@[h/db", "mysql://u:hunter2@h/db", ""}) {
        auto database = open_database(postgres_settings(std::string(url)), "");
        ASSERT_FALSE(database);
        EXPECT_EQ(database.error().kind, ErrorKind::invalid_value);
        EXPECT_EQ((database.error().message + database.error().detail).find("hunter2"),
                  std::string::npos);
    }
}

TEST(Postgres, AServerThatIsNotThereIsAnErrorAndSoonAFastOne) {
    auto database = open_database(postgres_settings("postgres://u:hunter2@127.0.0.1:1/db"), "");
    ASSERT_TRUE(database);
    for (int attempt = 0; attempt < 20; ++attempt) {
        auto rows = (*database)->run("SELECT 1");
        ASSERT_FALSE(rows);
        EXPECT_EQ(rows.error().kind, ErrorKind::store_unavailable);
        EXPECT_EQ((rows.error().message + rows.error().detail).find("hunter2"), std::string::npos);
    }
}

class PostgresRestarts : public ::testing::Test {
protected:
    void SetUp() override {
        if (shared_postgres() == nullptr) GTEST_SKIP() << "there is no PostgreSQL here";
        auto database = open_postgres(Secret(shared_postgres()->new_database()),
                                      std::chrono::milliseconds(500));
        ASSERT_TRUE(database);
        database_ = std::move(*database);
        ASSERT_TRUE(database_->run("CREATE TABLE things (id BIGINT PRIMARY KEY)"));
    }
    // Until it is there again, as whoever appends would.
    Result<Rows> insist(std::string_view statement) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            if (auto rows = database_->run(statement)) return rows;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return database_->run(statement);
    }

    std::unique_ptr<Database> database_;
};

TEST_F(PostgresRestarts, AreNotNoticedBetweenTwoStatements) {
    ASSERT_TRUE(shared_postgres()->restart());
    auto rows = database_->run("INSERT INTO things VALUES (1)");
    EXPECT_TRUE(rows) << rows.error().message << rows.error().detail;
}

TEST_F(PostgresRestarts, InATransactionLoseAllOfIt) {
    auto failed = database_->transaction([&]() -> Result<void> {
        EXPECT_TRUE(database_->run("INSERT INTO things VALUES (1)"));
        EXPECT_TRUE(shared_postgres()->restart());
        auto second = database_->run("INSERT INTO things VALUES (2)");
        if (!second) return propagate(second);
        return {};
    });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::store_unavailable);
    auto rows = insist("SELECT COUNT(*) FROM things");
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->integer(0, 0), 0);
}

TEST_F(PostgresRestarts, AreWaitedFor) {
    shared_postgres()->stop();
    auto rows = database_->run("SELECT 1");
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().kind, ErrorKind::store_unavailable);
    ASSERT_TRUE(shared_postgres()->restart());
    EXPECT_TRUE(insist("INSERT INTO things VALUES (1)"));
}

TEST_F(PostgresRestarts, AServerThatStopsAnsweringIsAnErrorNotAHang) {
    shared_postgres()->freeze();
    auto rows = database_->run("SELECT COUNT(*) FROM things");
    shared_postgres()->thaw();
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().kind, ErrorKind::store_unavailable);
    EXPECT_TRUE(insist("INSERT INTO things VALUES (1)"));
}

}  // namespace
}  // namespace runnel::storage
