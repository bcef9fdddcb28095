#include "api/embeddings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace runnel::api {
namespace {

using operation::Embedding;
using operation::EmbeddingPurpose;
using operation::EmbeddingRequest;

Result<EmbeddingRequest> read(const EmbeddingApi& api, std::string body) {
    json::Parser parser;
    return api.read_request({.body = std::move(body), .model = "gemini-embedding-001"}, &parser);
}

TEST(GeminiEmbedContent, HasOneText) {
    const auto request = read(gemini_embedding(),
                              R"({"model":"models/other","content":{"parts":[{"text":"a\n"},
                 {"text":"b"}]},"taskType":"RETRIEVAL_DOCUMENT","title":"T",
                 "outputDimensionality":768})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->asked.model, "gemini-embedding-001");
    ASSERT_EQ(request->inputs.size(), 1u);
    EXPECT_EQ(request->inputs[0].text_escaped, R"(a\n\nb)");
    EXPECT_EQ(request->inputs[0].title_escaped, "T");
    EXPECT_EQ(request->dimensions, 768);
    EXPECT_EQ(request->purpose, EmbeddingPurpose::document);
}

TEST(GeminiEmbedContent, IsReadInEverySpelling) {
    const auto request = read(gemini_embedding(), R"({"content":{"parts":{"text":"a"}},
                 "task_type":"CLUSTERING","output_dimensionality":8})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->dimensions, 8);
    EXPECT_EQ(request->purpose, EmbeddingPurpose::clustering);
}

TEST(GeminiBatchEmbedContents, HasATextForEachRequest) {
    const auto request = read(gemini_batch_embeddings(),
                              R"({"requests":[{"content":{"parts":[{"text":"a"}]}},
                                              {"content":{"parts":[{"text":"b"}]}}]})");
    ASSERT_TRUE(request);
    ASSERT_EQ(request->inputs.size(), 2u);
    EXPECT_EQ(request->inputs[0].text_escaped, "a");
    EXPECT_EQ(request->inputs[1].text_escaped, "b");
}

TEST(GeminiBatchEmbedContents, AreAlikeInAllButTheirText) {
    const auto request = read(gemini_batch_embeddings(),
                              R"({"requests":[{"content":{"parts":[{"text":"a"}]}},
                 {"content":{"parts":[{"text":"b"}]},"outputDimensionality":3}]})");
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().param, "requests[1]");
}

TEST(GeminiEmbeddings, WithoutTextAreRefused) {
    for (const char* body : {"{}", R"({"content":{}})", R"({"content":{"parts":[]}})",
                             R"({"content":{"parts":[{"inlineData":{}}]}})", "[]"})
        EXPECT_FALSE(read(gemini_embedding(), body)) << body;
    for (const char* body : {"{}", R"({"requests":[]})", R"({"requests":[{}]})"})
        EXPECT_FALSE(read(gemini_batch_embeddings(), body)) << body;
}

TEST(GeminiEmbeddings, AreAnsweredOneOrMany) {
    EmbeddingRequest request;
    const operation::EmbeddingAnswer answer{.embeddings = {{Embedding::Form::numbers, "[1]"}}};
    EXPECT_EQ(gemini_embedding().write_answer({&request, "m", 4}, answer),
              R"({"embedding":{"values":[1]},)"
              R"("usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}})");
    EXPECT_EQ(gemini_batch_embeddings().write_answer({&request, "m", 4}, answer),
              R"({"embeddings":[{"values":[1]}],)"
              R"("usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}})");
}

}  // namespace
}  // namespace runnel::api
