#include "server/admin_access.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;

int status_for(Headers headers, std::string_view address, std::string token = {}) {
    http::Request request;
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    const auto allowed = may_administer(request, address, Secret(std::move(token)));
    return allowed ? 200 : shape_of(allowed.error().kind).status;
}

TEST(AdminAccess, WithoutATokenIsForThisMachine) {
    EXPECT_EQ(status_for({}, "127.0.0.1"), 200);
    EXPECT_EQ(status_for({}, "127.8.9.1"), 200);
    EXPECT_EQ(status_for({}, "::1"), 200);
    EXPECT_EQ(status_for({}, "::ffff:127.0.0.1"), 200);
    EXPECT_EQ(status_for({}, "192.168.1.2"), 403);
    EXPECT_EQ(status_for({}, "::ffff:10.0.0.1"), 403);
    EXPECT_EQ(status_for({}, ""), 403);
}

TEST(AdminAccess, IsNotLentToOthersByAProxyOrABrowserOnThisMachine) {
    EXPECT_EQ(status_for({{"X-Forwarded-For", "8.8.8.8"}}, "127.0.0.1"), 403);
    EXPECT_EQ(status_for({{"Forwarded", "for=8.8.8.8"}}, "127.0.0.1"), 403);
    EXPECT_EQ(status_for({{"Host", "127.0.0.1:8080"}, {"Origin", "https://evil.test"}}, "::1"),
              403);
    EXPECT_EQ(status_for({{"Host", "a.test"}, {"Origin", "https://evil-a.test"}}, "::1"), 403);
    EXPECT_EQ(status_for({{"Host", "a.test"}, {"Origin", "null"}}, "::1"), 403);
    EXPECT_EQ(status_for({{"Host", "127.0.0.1:8080"}, {"Origin", "http://127.0.0.1:8080"}}, "::1"),
              200);
}

TEST(AdminAccess, WithATokenIsForWhoeverHasIt) {
    EXPECT_EQ(status_for({{"Authorization", "Bearer s3cret"}}, "192.168.1.2", "s3cret"), 200);
    EXPECT_EQ(status_for({{"authorization", "bearer s3cret"}}, "192.168.1.2", "s3cret"), 200);
    EXPECT_EQ(status_for({}, "127.0.0.1", "s3cret"), 401);
    EXPECT_EQ(status_for({{"Authorization", "s3cret"}}, "127.0.0.1", "s3cret"), 401);
    for (const std::string_view wrong :
         {"Bearer ", "Bearer s3cre", "Bearer s3crets", "Bearer S3CRET"})
        EXPECT_EQ(status_for({{"Authorization", wrong}}, "127.0.0.1", "s3cret"), 401) << wrong;
}

}  // namespace
}  // namespace runnel::server
