#include "api/completions/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace runnel::api::completions {
namespace {

using chat::Request;

Result<Request> read(std::string body, std::string model = {}) {
    json::Parser parser;
    auto request = read_request({.body = std::move(body), .model = std::move(model)}, &parser);
    if (!request) return request;
    if (auto checked = check_request(*request); !checked) return propagate(checked);
    return request;
}

Request accepted(std::string body) {
    auto request = read(std::move(body));
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

std::string with(std::string_view fields) {
    return fmt::format(R"({{"model":"m","prompt":"Hi",{}}})", fields);
}

std::string refusal_of(std::string body) {
    const auto request = read(std::move(body));
    return request ? "accepted" : request.error().param + ": " + request.error().message;
}

TEST(CompletionsRequest, MakesAUsersMessageOfThePrompt) {
    for (const std::string_view prompt : {R"("a \"b\"")", R"(["a \"b\""])"}) {
        const Request request =
            accepted(fmt::format(R"({{"model":"m","prompt":{},"stream":true}})", prompt));
        EXPECT_EQ(request.api, chat::Api::completions);
        EXPECT_EQ(request.model, "m");
        EXPECT_TRUE(request.streams());
        ASSERT_EQ(request.messages.size(), 1U);
        EXPECT_EQ(request.messages[0].role, chat::Role::user);
        EXPECT_EQ(request.messages[0].number, 1U);
        EXPECT_EQ(request.messages[0].parts[0].words(), R"(a \"b\")");
    }
}

TEST(CompletionsRequest, TakesAModelFromThePathWhereTheBodyHasNone) {
    EXPECT_EQ(read(R"({"prompt":""})", "d")->model, "d");
    EXPECT_EQ(read(R"({"prompt":"","model":"m"})", "d")->model, "m");
    EXPECT_FALSE(read(R"({"prompt":""})", "a\nb"));
}

TEST(CompletionsRequest, ReadsHowToAnswer) {
    const Request request = accepted(with(
        R"("max_tokens":7,"n":2,"best_of":2,"temperature":0.5,"top_p":0.9,"top_k":3,"min_p":0.1,)"
        R"("presence_penalty":1,"frequency_penalty":-1,"seed":4,"stop":"END","user":"u",)"
        R"("logit_bias":{"1":2},"logprobs":3,"stream":true,"stream_options":{"include_usage":true})"));
    EXPECT_EQ(request.max_tokens, 7);
    EXPECT_EQ(request.n, 2);
    EXPECT_EQ(request.sampling.temperature->raw, "0.5");
    EXPECT_EQ(request.sampling.top_p->raw, "0.9");
    EXPECT_EQ(request.sampling.top_k->raw, "3");
    EXPECT_EQ(request.sampling.min_p->raw, "0.1");
    EXPECT_EQ(request.sampling.presence_penalty->raw, "1");
    EXPECT_EQ(request.sampling.frequency_penalty->raw, "-1");
    EXPECT_EQ(request.sampling.seed->raw, "4");
    EXPECT_EQ(request.sampling.stop, std::vector<std::string>{"END"});
    EXPECT_EQ(request.sampling.logit_bias_raw, R"({"1":2})");
    EXPECT_EQ(request.sampling.logprobs, chat::Wish::yes);
    EXPECT_EQ(request.sampling.top_logprobs, 3);
    EXPECT_EQ(request.user, "u");
    EXPECT_EQ(request.include_usage, chat::Wish::yes);
    EXPECT_FALSE(accepted(with(R"("logprobs":0)")).sampling.top_logprobs);
}

TEST(CompletionsRequest, KeepsWhatOnlyThisApiKnows) {
    const Request request = accepted(with(R"("suffix":"z","echo":true)"));
    EXPECT_EQ(chat::find(request.extras, "suffix"), R"("z")");
    EXPECT_EQ(chat::find(request.extras, "echo"), "true");
}

TEST(CompletionsRequest, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal_of(R"({"model":"m"})"),
              "prompt: the request needs a prompt: the text to go on with");
    EXPECT_EQ(refusal_of(R"({"prompt":[]})"),
              "prompt: the request needs a prompt: the text to go on with");
    EXPECT_EQ(refusal_of(R"({"prompt":["a","b"]})"),
              "prompt: prompt has several texts; send a request for each of them");
    for (const std::string_view tokens : {"[1,2]", "[[1,2],[3]]"})
        EXPECT_EQ(refusal_of(fmt::format(R"({{"prompt":{}}})", tokens)),
                  "prompt: prompt is in tokens, which only one model could read; send it as text");
    EXPECT_EQ(refusal_of(R"({"prompt":7})"),
              "prompt: prompt must be a string or an array of one, not 7");
    EXPECT_TRUE(refusal_of(with(R"("best_of":3)")).contains("best_of is 3 and n is 1"));
    EXPECT_TRUE(refusal_of(with(R"("logprobs":true)")).contains("an integer from 0 to 20"));
    EXPECT_TRUE(refusal_of(with(R"("echo":1)")).contains("true or false"));
    EXPECT_TRUE(refusal_of(with(R"("stream_options":{"include_usage":true})"))
                    .contains("together with \"stream\":true"));
}

}  // namespace
}  // namespace runnel::api::completions
