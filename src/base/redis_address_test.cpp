#include "base/redis_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisAddress, IsReadFromAUrl) {
    const auto plain = read_redis_url("redis://cache.internal");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->host, "cache.internal");
    EXPECT_EQ(plain->port, 6379);
    EXPECT_EQ(plain->db, 0);
    EXPECT_TRUE(plain->password.empty());

    const auto full = read_redis_url("redis://me:p%40ss%25w%3ard@127.0.0.1:7000/3");
    ASSERT_TRUE(full);
    EXPECT_EQ(full->host, "127.0.0.1");
    EXPECT_EQ(full->port, 7000);
    EXPECT_EQ(full->db, 3);
    EXPECT_EQ(full->user, "me");
    EXPECT_EQ(full->password.reveal(), "p@ss%w:rd");

    const auto six = read_redis_url("redis://:secret@[::1]:7001/");
    ASSERT_TRUE(six);
    EXPECT_EQ(six->host, "::1");
    EXPECT_EQ(six->port, 7001);
    EXPECT_EQ(six->user, "");
    EXPECT_EQ(six->password.reveal(), "secret");
}

TEST(RedisAddress, SaysWhatIsWrongAndNeverThePassword) {
    for (const char* url :
         {"", "redis://", "redis://:sesame@", "http://sesame", "rediss://:sesame@host",
          "redis://sesame@host", "redis://:sesame%4@host", "redis://:sesame%zz@host",
          "redis://:sesame@host:", "redis://:sesame@host:0", "redis://:sesame@host:99999",
          "redis://:sesame@host:80x", "redis://:sesame@[::1", "redis://:sesame@[::1]x",
          "redis://:sesame@host/a", "redis://:sesame@host/-1", "redis://me:@host"}) {
        const auto address = read_redis_url(url);
        ASSERT_FALSE(address) << url;
        EXPECT_THAT(address.error().message, Not(HasSubstr("sesame")));
        EXPECT_FALSE(address.error().message.empty());
    }
    EXPECT_THAT(read_redis_url("rediss://host").error().message, HasSubstr("TLS"));
}

}  // namespace
}  // namespace runnel
