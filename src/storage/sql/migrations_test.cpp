#include "storage/sql/migrations.hpp"

#include "support/databases.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

namespace runnel::storage {
namespace {

class Migrations : public testing::OnEachDatabase {};
INSTANTIATE_TEST_SUITE_P(, Migrations, testing::each_database(), testing::database_name);

TEST_P(Migrations, AreMadeOnceHoweverManyBeginAtOnce) {
    constexpr int connections = 6;
    std::latch together(connections);
    std::vector<std::jthread> threads;
    for (int i = 0; i < connections; ++i)
        threads.emplace_back([&] {
            together.arrive_and_wait();
            auto database = open();
            ASSERT_TRUE(database);
            auto rows = database->run("SELECT COUNT(*) FROM counters");
            ASSERT_TRUE(rows) << rows.error().detail;
            EXPECT_EQ(rows->integer(0, 0), 3);
        });
    threads.clear();
    auto versions = open()->run("SELECT COUNT(*), MIN(version), MAX(version) FROM schema_version");
    ASSERT_TRUE(versions);
    EXPECT_EQ(versions->integer(0, 1), 1);
    EXPECT_EQ(versions->integer(0, 0), versions->integer(0, 2));
}

TEST_P(Migrations, ADatabaseOfANewerProgramIsRefused) {
    ASSERT_TRUE(open()->run("INSERT INTO schema_version (version, since) VALUES (99, 0)"));
    auto database = open_database(settings(), folder());
    // PostgreSQL is only reached when it is used.
    const Error error = database ? (*database)->run("SELECT 1").error() : database.error();
    EXPECT_EQ(error.kind, ErrorKind::store_unavailable);
    EXPECT_NE(error.message.find("newer Runnel"), std::string::npos);
    EXPECT_NE(error.message.find("99"), std::string::npos);
}

}  // namespace
}  // namespace runnel::storage
