#include "metering/model_version.hpp"

#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

TEST(ModelVersion, IsKnownByItsSuffix) {
    for (const char* rest : {"-2025-08-07", "-20250514", "@20250514", "-0905", "-001", "-latest",
                             "-preview", "-preview-05-20", "-0905-preview", "-exp-1206"})
        EXPECT_TRUE(is_version_suffix(rest)) << rest;
    for (const char* rest : {"", "-1", "-4-1", "-mini", "-pro-2025-08-07", "x", "2025", "-",
                             "-2025-", "-2025-08-07-high", ":free"})
        EXPECT_FALSE(is_version_suffix(rest)) << rest;
}

TEST(ModelVersion, IsUnderWhatIsSaidOfItsModel) {
    for (const char* asked : {"openai/gpt-5-mini", "openai/gpt-5-mini-2025-08-07",
                              "openai/GPT-5-Mini", "openai/gpt-5-mini:latest"})
        EXPECT_TRUE(is_version_of(asked, "openai/gpt-5-mini")) << asked;
    for (const char* asked : {"openai/gpt-5", "openai/gpt-5-mini-high", "openai/gpt-5-mini:free",
                              "azure/gpt-5-mini", ""})
        EXPECT_FALSE(is_version_of(asked, "openai/gpt-5-mini")) << asked;
    EXPECT_FALSE(is_version_of("openai/gpt-5-mini", ""));
}

}  // namespace
}  // namespace runnel::metering
