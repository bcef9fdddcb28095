#include "support/embedding_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using namespace runnel::testing;

TEST(OllamaEmbeddings, AskForAllTextsAtOnce) {
    auto request = embedding_of({"a", "b"});
    request.dimensions = 64;
    const Outgoing asked = EmbeddingProvider("ollama").write(request, "nomic");
    EXPECT_EQ(asked.path, "/api/embed");
    EXPECT_EQ(asked.body, R"({"model":"nomic","input":["a","b"],"dimensions":64})");
}

TEST(OllamaEmbeddings, AreReadWithTheirCount) {
    EmbeddingProvider ollama("ollama");
    EXPECT_EQ(told(ollama.read(R"({"model":"nomic","embeddings":[[0.1,-2],[3,4]],)"
                               R"("total_duration":1,"prompt_eval_count":7})")),
              "[0.1,-2] [3,4] 7");
    EXPECT_EQ(told(ollama.read(R"({"embeddings":[[1],"x y"]})")),
              "failed: Ollama sent an answer with no embeddings that can be read");
}

}  // namespace
}  // namespace runnel::provider
