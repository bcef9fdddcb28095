#include "support/embedding_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using namespace runnel::testing;

TEST(GeminiEmbeddings, AskForEachTextInOneRequest) {
    auto request = embedding_of({"a\\nb", "c"});
    request.dimensions = 768;
    request.purpose = operation::EmbeddingPurpose::document;
    request.inputs[1].title_escaped = "T";
    const Outgoing asked = EmbeddingProvider("gemini").write(request, "gemini-embedding-001");
    EXPECT_EQ(asked.path, "/v1beta/models/gemini-embedding-001:batchEmbedContents");
    EXPECT_EQ(asked.body,
              R"({"requests":[{"model":"models/gemini-embedding-001","content":{"parts":)"
              R"([{"text":"a\nb"}]},"outputDimensionality":768,"taskType":"RETRIEVAL_DOCUMENT"},)"
              R"({"model":"models/gemini-embedding-001","content":{"parts":[{"text":"c"}]},)"
              R"("outputDimensionality":768,"taskType":"RETRIEVAL_DOCUMENT","title":"T"}]})");
}

TEST(GeminiEmbeddings, TakeNoTokens) {
    auto request = embedding_of({"a"});
    request.inputs.push_back({.tokens_raw = "[1]"});
    EXPECT_EQ(EmbeddingProvider("gemini").write(request, "m").body,
              "failed: Gemini takes text, not tokens: input[1] is an array of numbers");
}

TEST(GeminiEmbeddings, AreReadWithAndWithoutACount) {
    EmbeddingProvider gemini("gemini");
    EXPECT_EQ(told(gemini.read(R"({"embeddings":[{"values":[0.1,0.2]},{"values":[0.3,0.4]}]})")),
              "[0.1,0.2] [0.3,0.4] uncounted");
    EXPECT_EQ(told(gemini.read(R"({"embeddings":[{"values":[1]}],)"
                               R"("usageMetadata":{"promptTokenCount":5}})")),
              "[1] 5");
    for (const char* body : {"{}", R"({"embeddings":[{}]})", R"({"embeddings":[{"values":1}]})"})
        EXPECT_EQ(told(gemini.read(body)),
                  "failed: Gemini sent an answer with no embeddings that can be read")
            << body;
}

}  // namespace
}  // namespace runnel::provider
