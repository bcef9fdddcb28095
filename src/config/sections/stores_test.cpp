#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using cache::Settings;
using storage::SharedSettings;
using storage::StoreSettings;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::problem;
using testing::read;

TEST(ConfigStores, AreSqliteAndNothingSharedByDefault) {
    for (const char* file : {"", "store: sqlite\nshared: none\ncache: off\n"}) {
        const auto settings = read(file).access;
        EXPECT_EQ(settings.store, StoreSettings{});
        EXPECT_TRUE(settings.shared.redis_url.empty());
        EXPECT_FALSE(settings.cache);
        EXPECT_FALSE(settings.logs.keeps_content);
        EXPECT_EQ(settings.logs.retention, 30 * 24h);
    }
}

TEST(ConfigStores, AreRead) {
    const auto settings = read(R"(
store: postgres://me:secret@db/runnel
shared: {redis: "redis://:secret@127.0.0.1:7000/2", without_it: refuse}
cache: {ttl: 10m, max_bytes: 64MiB, single_flight: false}
logs: {content: on, retention: 7d, journal: 64MiB}
)")
                              .access;
    EXPECT_EQ(settings.store.kind, StoreSettings::Kind::postgres);
    EXPECT_EQ(settings.store.url.reveal(), "postgres://me:secret@db/runnel");
    EXPECT_EQ(settings.shared.redis_url.reveal(), "redis://:secret@127.0.0.1:7000/2");
    EXPECT_EQ(settings.shared.without_it, SharedSettings::WithoutIt::refuse);
    ASSERT_TRUE(settings.cache);
    EXPECT_EQ(settings.cache->ttl, 10min);
    EXPECT_EQ(settings.cache->max_bytes, 64u * 1024 * 1024);
    EXPECT_EQ(settings.cache->single_flight, cache::Settings::SingleFlight::off);
    EXPECT_TRUE(settings.logs.keeps_content);
    EXPECT_EQ(settings.logs.retention, 7 * 24h);
    EXPECT_EQ(settings.logs.journal_bytes, 64u * 1024 * 1024);

    const auto brief = read("shared: redis://h\ncache: {}\nlogs: {retention: 90m}\n").access;
    EXPECT_EQ(brief.shared.redis_url.reveal(), "redis://h");
    EXPECT_EQ(brief.shared.without_it, SharedSettings::WithoutIt::local_limits);
    EXPECT_TRUE(brief.cache);
    EXPECT_EQ(brief.logs.retention, 1h);
}

TEST(ConfigStores, SayWhatIsWrongAndNoPassword) {
    EXPECT_EQ(problem("store: mysql://me:sesame@db"),
              "1:8: store: a store is sqlite, or postgres://user:password@host/database");
    for (const char* file : {"shared: rediss://:sesame@host", "shared: {redis: 'redis://:sesame@'}",
                             "shared: http://sesame"}) {
        EXPECT_THAT(problem(file), Not(HasSubstr("sesame")));
        EXPECT_THAT(problem(file), HasSubstr("shared"));
    }
    EXPECT_THAT(problem("shared: {without_it: refuse}"), HasSubstr("redis is missing"));
    EXPECT_EQ(problem("shared: {redis: redis://h, without_it: locl}"),
              "1:40: shared.without_it: 'locl' is not one of local, refuse; did you mean 'local'?");
    EXPECT_THAT(problem("cache: {ttl: 1s}"), HasSubstr("from 1m to 24h"));
    EXPECT_THAT(problem("cache: on"), HasSubstr("cache must be a map"));
    EXPECT_THAT(problem("logs: {retention: 1d2}"), HasSubstr("a time such as 30d or 12h"));
    EXPECT_THAT(problem("logs: {retention: 5m}"), HasSubstr("from 1h to 3650d"));
    EXPECT_THAT(problem("logs: {journal: 1MiB}"), HasSubstr("logs.journal"));
    EXPECT_THAT(problem("logs: {content: maybe}"), HasSubstr("is not one of on, off"));
}

}  // namespace
}  // namespace runnel::config
