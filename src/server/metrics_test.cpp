#include "server/metrics.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

TEST(ModelNames, OnlyWhatTheConfigNamesHasALabelOfItsOwn) {
    const router::Router router({{.name = "openai", .models = {"gpt-5"}}},
                                {{.name = "fast", .targets = {{"openai/gpt-mini"}}}},
                                {{"quick", "fast"}}, "");
    const ModelNames names(router);
    EXPECT_EQ(names.label_of("fast"), "fast");
    EXPECT_EQ(names.label_of("openai/gpt-5"), "openai/gpt-5");
    EXPECT_EQ(names.label_of("openai/gpt-mini"), "openai/gpt-mini");
    // The provider may take it, but anybody can make such names up.
    EXPECT_EQ(names.label_of("openai/gpt-99"), "other");
    EXPECT_EQ(names.label_of(""), "other");
}

}  // namespace
}  // namespace runnel::server
