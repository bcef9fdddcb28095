#include "exchange/operations/embedding_operation.hpp"

#include "provider/registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace runnel::exchange {
namespace {

using ::testing::ElementsAre;

class Embeddings : public testing::Test {
protected:
    void read(std::size_t inputs, std::string_view input = "\"a\"") {
        std::string body = R"({"model":"m","input":[)";
        for (std::size_t i = 0; i < inputs; ++i)
            body += fmt::format("{}{}", i > 0 ? "," : "", input);
        ASSERT_TRUE(operation_.read({.body = body + "]}"}, &parser_));
    }

    // How many inputs each question has, as far as they come.
    std::vector<std::int64_t> questions(std::size_t most = 100) {
        std::vector<std::int64_t> sizes;
        while (!operation_.is_done() && sizes.size() < most) {
            const auto outgoing = operation_.next_question(*gemini_, "m");
            sizes.push_back(count(outgoing->body, "\"content\""));
            if (!answer(sizes.back())) break;
        }
        return sizes;
    }

    bool answer(std::int64_t embeddings, std::string_view more = "") {
        std::string body = R"({"embeddings":[)";
        for (std::int64_t i = 0; i < embeddings; ++i)
            body += fmt::format(R"({}{{"values":[{}]}})", i > 0 ? "," : "", next_++);
        body += fmt::format("]{}}}", more);
        return operation_.read_answer(*gemini_, Padded::of(body), &parser_).has_value();
    }

    static std::int64_t count(std::string_view text, std::string_view word) {
        std::int64_t times = 0;
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
            ++times;
        return times;
    }

    json::Parser parser_;
    std::unique_ptr<provider::Provider> gemini_ =
        std::move(*provider::make_provider({.name = "g", .kind = "gemini", .base_url = {}}));
    EmbeddingOperation operation_{&api::openai_embeddings()};
    int next_ = 0;
};

TEST_F(Embeddings, AreAskedForInPiecesAndPutTogetherInOrder) {
    read(250);
    EXPECT_THAT(questions(), ElementsAre(100, 100, 50));
    const std::string answer = operation_.write_answer({"m", 0});
    EXPECT_NE(answer.find(R"("index":0,"embedding":[0])"), answer.npos);
    EXPECT_NE(answer.find(R"("index":249,"embedding":[249])"), answer.npos);
}

TEST_F(Embeddings, AreAskedForInSmallerPiecesWhereTextsAreLong) {
    read(3, '"' + std::string(400'000, 'a') + '"');  // some 130,000 tokens
    EXPECT_THAT(questions(), ElementsAre(1, 1, 1));
}

TEST_F(Embeddings, AreAskedForAgainWhereAnAnswerIsOfAnotherNumber) {
    read(2);
    ASSERT_TRUE(operation_.next_question(*gemini_, "m"));
    EXPECT_FALSE(answer(1));
    EXPECT_FALSE(operation_.is_done());
    EXPECT_EQ(operation_.held_bytes(), 0u);
    ASSERT_TRUE(operation_.next_question(*gemini_, "m"));
    EXPECT_TRUE(answer(2));
    EXPECT_TRUE(operation_.is_done());
}

TEST_F(Embeddings, AreCountedOnlyWhereAllAnswersAre) {
    read(200);
    ASSERT_TRUE(operation_.next_question(*gemini_, "m"));
    ASSERT_TRUE(answer(100, R"(,"usageMetadata":{"promptTokenCount":7})"));
    EXPECT_EQ(operation_.input_tokens(), 7);
    ASSERT_TRUE(operation_.next_question(*gemini_, "m"));
    ASSERT_TRUE(answer(100));
    EXPECT_EQ(operation_.input_tokens(), std::nullopt);
}

TEST_F(Embeddings, WriteNothingSoOnlyTheirInputIsReserved) {
    read(2, "[1,2,3]");
    const chat::Operation operation = operation_.operation();
    EXPECT_EQ(operation.kind, chat::Operation::Kind::embedding);
    EXPECT_EQ(operation.input_tokens, 6);
    EXPECT_TRUE(operation.writes_nothing());
}

}  // namespace
}  // namespace runnel::exchange
