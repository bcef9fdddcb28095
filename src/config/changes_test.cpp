#include "config/changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Config with(std::initializer_list<std::string> providers,
            std::initializer_list<std::string> models) {
    Config config;
    for (const std::string& name : providers) config.providers.push_back({name, "openai"});
    for (const std::string& name : models) config.models.push_back({.name = name});
    return config;
}

TEST(ConfigChanges, NameWhatCameAndWhatWent) {
    const Changes changes = compare(with({"a", "b"}, {"fast"}), with({"c", "b"}, {"slow", "x"}));
    EXPECT_THAT(changes.providers_added, ElementsAre("c"));
    EXPECT_THAT(changes.providers_removed, ElementsAre("a"));
    EXPECT_THAT(changes.models_added, ElementsAre("slow", "x"));
    EXPECT_THAT(changes.models_removed, ElementsAre("fast"));
    EXPECT_THAT(changes.need_restart, IsEmpty());
}

TEST(ConfigChanges, OfTheSameConfigAreNone) {
    Config config = with({"a"}, {"fast"});
    config.tls = Tls{"cert.pem", "key.pem"};
    const Changes changes = compare(config, config);
    EXPECT_THAT(changes.providers_added, IsEmpty());
    EXPECT_THAT(changes.models_removed, IsEmpty());
    EXPECT_THAT(changes.need_restart, IsEmpty());
}

TEST(ConfigChanges, NameTheKeysThatNeedARestart) {
    Config after;
    after.listen = ":9090";
    after.data = "/elsewhere";
    after.threads = 3;
    after.tls = Tls{"cert.pem", "key.pem"};
    after.access.store.kind = storage::StoreSettings::Kind::postgres;
    after.access.shared.redis_url = Secret("redis://host");
    after.access.logs.journal_bytes = 1;
    EXPECT_THAT(compare({}, after).need_restart,
                ElementsAre("listen", "data", "threads", "tls", "store", "shared", "logs.journal"));
    Config renewed = after;
    renewed.tls->key = "new.pem";
    EXPECT_THAT(compare(after, renewed).need_restart, IsEmpty());
}

TEST(ConfigChanges, OfTracesNeedARestartOnlyWhereTheyGoElsewhere) {
    Config off;
    Config on;
    on.traces = Traces{.endpoint = "http://127.0.0.1:4318/v1/traces"};
    Config fewer = on;
    fewer.traces->sample = 0.1;
    Config elsewhere = on;
    elsewhere.traces->endpoint = "http://127.0.0.2:4318/v1/traces";
    EXPECT_THAT(compare(off, on).need_restart, ElementsAre("traces"));
    EXPECT_THAT(compare(on, elsewhere).need_restart, ElementsAre("traces"));
    EXPECT_THAT(compare(on, fewer).need_restart, IsEmpty());
    EXPECT_THAT(compare(on, off).need_restart, IsEmpty());
}

}  // namespace
}  // namespace runnel::config
