#include "support/embedding_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace runnel::provider {
namespace {

using namespace runnel::testing;

std::vector<double> embedded(std::string_view text, std::int64_t dimensions = 64) {
    auto request = embedding_of({text});
    request.dimensions = dimensions;
    EmbeddingProvider demo("demo");
    const Outgoing asked = demo.write(request, "embedding");
    if (!asked.script) return {};
    const auto answer = demo.read(asked.script->pieces.front().bytes);
    std::vector<double> numbers;
    for (std::size_t at = 1; at < answer->embeddings[0].text.size();
         at = answer->embeddings[0].text.find_first_of(",]", at) + 1)
        numbers.push_back(std::stod(answer->embeddings[0].text.substr(at)));
    return numbers;
}

double nearness(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(DemoEmbeddings, AreNearWhereTextsShareWords) {
    const auto cat = embedded("The cat sat on the mat.");
    EXPECT_EQ(cat.size(), 64u);
    EXPECT_EQ(cat, embedded("the CAT sat, on the mat"));
    EXPECT_NEAR(nearness(cat, cat), 1, 1e-4);
    EXPECT_GT(nearness(cat, embedded("A cat on a mat")),
              nearness(cat, embedded("Interest rates fell again")));
}

TEST(DemoEmbeddings, HaveAsManyDimensionsAsAreAskedForUpToTheirMost) {
    EXPECT_EQ(embedded("a", 3).size(), 3u);
    EXPECT_TRUE(embedded("a", 1025).empty());
    EXPECT_EQ(embedded("", 2), (std::vector<double>{0, 0}));
}

TEST(DemoEmbeddings, AreOfOneModel) {
    EXPECT_EQ(EmbeddingProvider("demo").write(embedding_of({"a"}), "echo").body,
              "failed: demo/echo gives no embeddings; demo/embedding does");
}

}  // namespace
}  // namespace runnel::provider
