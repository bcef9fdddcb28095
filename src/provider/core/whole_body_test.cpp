#include "provider/core/whole_body.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::provider {
namespace {

void feed(WholeBody& body, std::string bytes) { body.feed(Padded::of(bytes)); }

TEST(WholeBody, IsWhatCameWhateverItsPieces) {
    WholeBody body("Somebody");
    feed(body, "{\"a\"");
    EXPECT_FALSE(body.ended());
    EXPECT_EQ(body.progress(), 4u);
    feed(body, ":1}");
    body.finish();
    EXPECT_TRUE(body.ended());
    EXPECT_FALSE(body.failure());
    EXPECT_EQ(body.json().text(), "{\"a\":1}");
}

TEST(WholeBody, KeepsTheFirstFailure) {
    WholeBody body("Somebody");
    body.fail({ErrorKind::upstream_timeout, "late"});
    body.fail({ErrorKind::upstream_unreachable, "lost"});
    body.finish();
    ASSERT_TRUE(body.failure());
    EXPECT_EQ(body.failure()->kind, ErrorKind::upstream_timeout);
}

TEST(WholeBody, HasNoMoreValuesThanCanBeRead) {
    WholeBody body("Somebody");
    std::string many = "[";
    for (std::size_t i = 0; i <= limits::upstream_values; ++i) many += "1,";
    feed(body, many + "1]");
    body.finish();
    ASSERT_TRUE(body.failure());
    EXPECT_EQ(body.failure()->kind, ErrorKind::upstream_malformed);
}

}  // namespace
}  // namespace runnel::provider
