#include "support/embedding_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using namespace runnel::testing;
using operation::Embedding;
using operation::EmbeddingPurpose;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenAiEmbeddings, AskForTextsAndTokensAsTheyCame) {
    auto request = embedding_of({"a\\nb", "c"});
    request.inputs.push_back({.tokens_raw = "[1, 2]"});
    request.dimensions = 256;
    request.asked.user = "someone";
    request.asked.extras.push_back({"truncate", "true"});
    const Outgoing asked = EmbeddingProvider("openai").write(request, "small");
    EXPECT_EQ(asked.path, "/v1/embeddings");
    EXPECT_EQ(asked.body, R"({"model":"small","input":["a\nb","c",[1, 2]],"dimensions":256,)"
                          R"("user":"someone","truncate":true})");
}

TEST(OpenAiEmbeddings, AskAzureAtTheDeployment) {
    const ProviderConfig azure{.name = {},
                               .kind = "azure",
                               .base_url = "https://r.openai.azure.com",
                               .api_version = "2024-10-21"};
    EXPECT_EQ(EmbeddingProvider(azure).write(embedding_of({"a"}), "mine").path,
              "/openai/deployments/mine/embeddings?api-version=2024-10-21");
}

TEST(OpenAiEmbeddings, AreAskedForInBase64WhereThatIsWantedAndKnown) {
    auto request = embedding_of({"a"});
    const auto body = [&](std::string_view kind) {
        return EmbeddingProvider(std::string(kind)).write(request, "m").body;
    };
    EXPECT_THAT(body("openai"), Not(HasSubstr("encoding_format")));
    request.form = Embedding::Form::base64;
    EXPECT_THAT(body("openai"), HasSubstr(R"("encoding_format":"base64")"));
    EXPECT_THAT(body("together"), Not(HasSubstr("encoding_format")));
}

TEST(OpenAiEmbeddings, OfManyInputsComeInTheShorterForm) {
    auto request = embedding_of({});
    request.inputs.assign(600, {.text_escaped = "a"});
    EXPECT_THAT(EmbeddingProvider("openai").write(request, "m").body,
                HasSubstr(R"("encoding_format":"base64")"));
}

TEST(OpenAiEmbeddings, SayWhatTheyAreForInTheProvidersWords) {
    auto request = embedding_of({"a"});
    request.purpose = EmbeddingPurpose::query;
    request.dimensions = 64;
    const auto body = [&](std::string_view kind) {
        return EmbeddingProvider(std::string(kind)).write(request, "m").body;
    };
    EXPECT_THAT(body("voyage"), HasSubstr(R"("output_dimension":64,"input_type":"query")"));
    EXPECT_THAT(body("jina"), HasSubstr(R"("dimensions":64,"task":"retrieval.query")"));
    EXPECT_THAT(body("mistral"), HasSubstr(R"("output_dimension":64})"));
    EXPECT_THAT(body("openai"), Not(HasSubstr("query")));
    // The client's own word is enough.
    request.asked.extras.push_back({"input_type", "\"query\""});
    EXPECT_THAT(body("voyage"), HasSubstr(R"("output_dimension":64,"input_type":"query"})"));
}

TEST(OpenAiEmbeddings, DoNotPassOnWhatAsksForOtherModels) {
    auto request = embedding_of({"a"});
    request.asked.extras.push_back({"models", "[\"dear/one\"]"});
    EXPECT_THAT(EmbeddingProvider("openrouter").write(request, "m").body,
                Not(HasSubstr("dear/one")));
}

TEST(OpenAiEmbeddings, OfSomeProvidersThereAreNone) {
    EXPECT_TRUE(EmbeddingProvider("openai").has_embeddings());
    for (const char* kind : {"groq", "deepseek", "xai", "anthropic", "perplexity"})
        EXPECT_FALSE(EmbeddingProvider(kind).has_embeddings()) << kind;
}

TEST(OpenAiEmbeddings, AreReadInTheOrderOfTheirIndexes) {
    EmbeddingProvider openai("openai");
    EXPECT_EQ(told(openai.read(R"({"object":"list","data":[
                  {"object":"embedding","index":1,"embedding":[0.5, -1e-3]},
                  {"object":"embedding","index":0,"embedding":"AACAPw=="}],
                  "model":"m","usage":{"prompt_tokens":8,"total_tokens":8}})")),
              "AACAPw== [0.5,-1e-3] 8");
    EXPECT_EQ(told(openai.read(R"({"data":[{"embedding":[1]},{"embedding":[2]}],)"
                               R"("usage":{"total_tokens":3}})")),
              "[1] [2] 3");
    EXPECT_EQ(told(openai.read(R"({"data":[{"embedding":[1]}]})")), "[1] uncounted");
}

TEST(OpenAiEmbeddings, ThatCanNotBeReadAreAFailure) {
    EmbeddingProvider openai("openai");
    const std::string failure = "failed: OpenAI sent an answer with no embeddings that can be read";
    for (const char* body :
         {"", "[]", "{}", R"({"data":[]})", R"({"data":[{"index":0}]})",
          R"({"data":[{"embedding":[]}]})", R"({"data":[{"embedding":["a"]}]})",
          R"({"data":[{"embedding":[[1]]}]})", R"({"data":[{"embedding":"\" evil"}]})",
          R"({"data":[{"index":1,"embedding":[1]}]})", R"({"data":[{"embedding":[1)",
          R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})"})
        EXPECT_EQ(told(openai.read(body)), failure) << body;
}

}  // namespace
}  // namespace runnel::provider
