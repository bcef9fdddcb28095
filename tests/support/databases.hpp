#pragma once

#include "storage/sql/sql.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace runnel::testing {

// One server for all tests of a process: making its files takes seconds. Null where there is none.
inline PostgresServer* shared_postgres() {
    static const std::unique_ptr<PostgresServer> server = PostgresServer::start();
    return server.get();
}

// A test that runs on each database there is, every time on an empty one.
class OnEachDatabase : public ::testing::TestWithParam<storage::StoreSettings::Kind> {
protected:
    using Kind = storage::StoreSettings::Kind;

    void SetUp() override {
        settings_.kind = GetParam();
        if (settings_.kind == Kind::sqlite) return;
        if (shared_postgres() == nullptr)
            GTEST_SKIP() << "there is no PostgreSQL here: install the package postgresql";
        settings_.url = Secret(shared_postgres()->new_database());
    }

    // Another connection to it.
    std::unique_ptr<storage::Database> open() const {
        auto database = storage::open_database(settings_, folder_.path());
        EXPECT_TRUE(database) << database.error().message << database.error().detail;
        return database ? std::move(*database) : nullptr;
    }

    const storage::StoreSettings& settings() const { return settings_; }
    const std::filesystem::path& folder() const { return folder_.path(); }

private:
    storage::StoreSettings settings_;
    TemporaryFolder folder_;
};

inline std::string
database_name(const ::testing::TestParamInfo<storage::StoreSettings::Kind>& parameter) {
    return parameter.param == storage::StoreSettings::Kind::sqlite ? "Sqlite" : "Postgres";
}

inline auto each_database() {
    return ::testing::Values(storage::StoreSettings::Kind::sqlite,
                             storage::StoreSettings::Kind::postgres);
}

}  // namespace runnel::testing
