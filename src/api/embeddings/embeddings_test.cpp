#include "api/embeddings.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api {
namespace {

using operation::Embedding;
using operation::EmbeddingRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<EmbeddingRequest> read(std::string body, std::string model = "") {
    json::Parser parser;
    return openai_embeddings().read_request({.body = std::move(body), .model = std::move(model)},
                                            &parser);
}

// Texts in quotes and tokens as they stand; or what is wrong, and with which field.
std::vector<std::string> inputs_of(std::string_view input) {
    const auto request = read(fmt::format(R"({{"model":"m","input":{}}})", input));
    if (!request) return {request.error().param};
    std::vector<std::string> inputs;
    for (const auto& one : request->inputs)
        inputs.push_back(one.is_text() ? fmt::format("\"{}\"", one.text_escaped)
                                       : std::string(one.tokens_raw));
    return inputs;
}

TEST(EmbeddingsRequest, HasEveryFormOfInput) {
    EXPECT_THAT(inputs_of(R"("a\"b")"), ElementsAre(R"("a\"b")"));
    EXPECT_THAT(inputs_of(R"(["a","b"])"), ElementsAre(R"("a")", R"("b")"));
    EXPECT_THAT(inputs_of("[1, 2]"), ElementsAre("[1, 2]"));
    EXPECT_THAT(inputs_of("[[1,2],[3]]"), ElementsAre("[1,2]", "[3]"));
    EXPECT_THAT(inputs_of(R"([[1],"a"])"), ElementsAre("[1]", R"("a")"));
}

TEST(EmbeddingsRequest, HasNoOtherInput) {
    for (const char* wrong : {"1", "{}", "[]", "true", "null"})
        EXPECT_THAT(inputs_of(wrong), ElementsAre("input")) << wrong;
    for (const char* wrong : {"[{}]", "[[]]", "[[1.5]]", "[[-1]]", R"([["a"]])", "[[[1]]]"})
        EXPECT_THAT(inputs_of(wrong), ElementsAre("input[0]")) << wrong;
    EXPECT_THAT(inputs_of(R"([1,"a"])"), ElementsAre("input"));
    EXPECT_THAT(inputs_of(R"(["a",1])"), ElementsAre("input[1]"));
}

TEST(EmbeddingsRequest, HasSoManyInputsAtMost) {
    std::string many = "[\"a\"";
    for (std::size_t i = 1; i < embedding_inputs_max; ++i) many += ",\"a\"";
    EXPECT_EQ(inputs_of(many + "]").size(), embedding_inputs_max);
    EXPECT_THAT(inputs_of(many + ",\"a\"]"), ElementsAre("input"));
}

TEST(EmbeddingsRequest, SaysHowTheAnswerIsWanted) {
    auto request = read(R"({"model":"m","input":"a","dimensions":256,"user":"u","extra":[1],
                            "encoding_format":"base64","input_type":"search_query"})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->asked.model, "m");
    EXPECT_EQ(request->asked.user, "u");
    EXPECT_EQ(request->dimensions, 256);
    EXPECT_EQ(request->form, Embedding::Form::base64);
    EXPECT_EQ(request->purpose, operation::EmbeddingPurpose::query);
    EXPECT_EQ(chat::find(request->asked.extras, "extra"), "[1]");
    EXPECT_EQ(chat::find(request->asked.extras, "input_type"), "\"search_query\"");
    request = read(R"({"model":"m","input":"a"})");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->form, Embedding::Form::numbers);
}

TEST(EmbeddingsRequest, NamesTheFieldAtFault) {
    const auto fault = [](std::string_view field) {
        const auto request = read(fmt::format(R"({{"model":"m","input":"a",{}}})", field));
        return request ? std::string("none") : request.error().param;
    };
    EXPECT_EQ(fault(R"("encoding_format":"int8")"), "encoding_format");
    EXPECT_EQ(fault(R"("dimensions":0)"), "dimensions");
    EXPECT_EQ(fault(R"("fallback":["other"])"), "fallback");
    EXPECT_EQ(fault(R"("timeout":0)"), "timeout");
}

TEST(EmbeddingsRequest, MayNameItsModelInThePathOnly) {
    const auto request = read(R"({"input":"a"})", "deployed");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->asked.model, "deployed");
}

TEST(EmbeddingsAnswer, IsOpenAisList) {
    EmbeddingRequest request;
    const operation::EmbeddingAnswer answer{
        .embeddings = {{Embedding::Form::numbers, "[1,2]"}, {Embedding::Form::base64, "AACAPw=="}}};
    EXPECT_EQ(openai_embeddings().write_answer({&request, "openai/small", 5}, answer),
              R"({"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,2]},)"
              R"({"object":"embedding","index":1,"embedding":"AACAPw=="}],)"
              R"("model":"openai/small","usage":{"prompt_tokens":5,"total_tokens":5}})");
}

}  // namespace
}  // namespace runnel::api
