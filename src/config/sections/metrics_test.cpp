#include "config/config.hpp"

#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using Access = Config::MetricsAccess;

auto read(std::string_view yaml) {
    return read_config(yaml, [](const char*) -> const char* { return nullptr; });
}

TEST(ReadMetrics, AreForTheAdminUnlessTheConfigOpensThem) {
    EXPECT_EQ(read("{}")->metrics_access, Access::admin);
    EXPECT_EQ(read("metrics: {access: admin}")->metrics_access, Access::admin);
    EXPECT_EQ(read("metrics: {access: open}")->metrics_access, Access::open);
}

TEST(ReadMetrics, OtherWordsAreRefusedWithTheirPlace) {
    const auto config = read("metrics: {access: everybody}");
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().front().line, 1);
    EXPECT_NE(config.error().front().message.find("admin"), std::string::npos);
    EXPECT_FALSE(read("metrics: {port: 9090}"));
}

}  // namespace
}  // namespace runnel::config
