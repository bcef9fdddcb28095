#include "provider/credentials/static_key.hpp"

#include "provider/registry.hpp"
#include "support/proven_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::proven;

// The lines that a provider of this kind gets for the key "k".
std::vector<std::string> lines_of(std::string kind, std::string base_url = {}) {
    const auto provider =
        make_provider({.name = "mine", .kind = std::move(kind), .base_url = std::move(base_url)});
    return proven(StaticKey((*provider)->key_header(), Secret("k")));
}

TEST(StaticKey, IsWhereTheProviderLooksForIt) {
    EXPECT_THAT(lines_of("openai"), ElementsAre("authorization: Bearer k"));
    EXPECT_THAT(lines_of("azure", "https://r.openai.azure.com"), ElementsAre("api-key: k"));
    EXPECT_THAT(lines_of("anthropic"), ElementsAre("x-api-key: k"));
    EXPECT_THAT(lines_of("gemini"), ElementsAre("x-goog-api-key: k"));
    EXPECT_THAT(lines_of("ollama"), ElementsAre("authorization: Bearer k"));
}

TEST(StaticKey, IsNoHeaderWhereThereIsNone) {
    EXPECT_THAT(proven(StaticKey({}, Secret())), IsEmpty());
}

TEST(StaticKey, LeavesAConfiguredHeaderOfItsNameAsItIs) {
    const std::vector<HeaderField> configured{{"Authorization", "Basic x"}};
    EXPECT_THAT(proven(StaticKey({}, Secret("k")), configured), IsEmpty());
}

}  // namespace
}  // namespace runnel::provider
