#include "base/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace runnel {
namespace {

template <class F>
void for_each_kind(F f) {
    for (int i = 0; i <= static_cast<int>(ErrorKind::internal_error); ++i)
        f(static_cast<ErrorKind>(i));
}

TEST(Error, HasAShapeForEveryKind) {
    for_each_kind([](ErrorKind kind) {
        const ErrorShape shape = shape_of(kind);
        EXPECT_GE(shape.status, 400) << name_of(kind);
        EXPECT_LT(shape.status, 600) << name_of(kind);
        EXPECT_FALSE(shape.type.empty()) << name_of(kind);
        EXPECT_FALSE(shape.code.empty()) << name_of(kind);
    });
}

TEST(Error, HasANameOfItsOwnForEveryKind) {
    std::set<std::string_view> names;
    for_each_kind(
        [&](ErrorKind kind) { EXPECT_TRUE(names.insert(name_of(kind)).second) << name_of(kind); });
}

TEST(Error, BlamesTheServerForServerStatusesOnly) {
    for_each_kind([](ErrorKind kind) {
        const ErrorShape shape = shape_of(kind);
        EXPECT_EQ(shape.status >= 500, shape.type == "server_error") << name_of(kind);
    });
}

TEST(Error, NeverBlamesTheClientForOurCredentials) {
    EXPECT_EQ(shape_of(ErrorKind::upstream_auth).status, 502);
    EXPECT_EQ(shape_of(ErrorKind::upstream_permission).status, 502);
}

TEST(Error, IsWorthAnotherAttemptWhereAnotherTargetMaySucceed) {
    EXPECT_TRUE(retryable(ErrorKind::upstream_overloaded));
    EXPECT_TRUE(retryable(ErrorKind::upstream_rate_limited));
    EXPECT_TRUE(retryable(ErrorKind::upstream_unreachable));
    EXPECT_FALSE(retryable(ErrorKind::upstream_rejected));
    EXPECT_FALSE(retryable(ErrorKind::invalid_value));
    EXPECT_FALSE(retryable(ErrorKind::internal_error));
}

}  // namespace
}  // namespace runnel
