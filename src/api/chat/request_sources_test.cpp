#include "api/chat/request.hpp"
#include "chat/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

// What a request gets from elsewhere: from earlier turns, and from its model's defaults.
namespace runnel::api {
namespace {

using chat::Part;
using chat::Request;

Request read(std::string body) {
    json::Parser parser;
    auto request = read_chat_request(std::move(body), &parser);
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

TEST(OpenAiRequest, ReadsClaudesThinkingFromEitherCarrier) {
    const auto thoughts = [](std::string_view carrier) {
        const Request request = read(fmt::format(
            R"({{"messages":[{{"role":"assistant","content":"x","reasoning_content":"ab",{}}}]}})",
            carrier));
        std::string all;
        for (const Part& part : request.messages[0].parts)
            if (const auto* thought = part.as<chat::Reasoning>())
                all +=
                    fmt::format("[{}|{}|{}|{}]", thought->text_escaped, thought->signature_escaped,
                                thought->encrypted_escaped, thought->issuer);
        return all;
    };
    EXPECT_EQ(thoughts(R"("thinking_blocks":[{"type":"thinking","thinking":"a","signature":"s"},)"
                       R"({"type":"redacted_thinking","data":"d"}])"),
              "[a|s||anthropic][||d|anthropic]");
    EXPECT_EQ(thoughts(R"("reasoning_details":[{"type":"reasoning.text","text":"a",)"
                       R"("signature":"s","format":"anthropic-claude-v1"},)"
                       R"({"type":"reasoning.encrypted","data":"d","format":"openai"}])"),
              "[a|s||anthropic]");
    EXPECT_EQ(thoughts(R"("thinking_blocks":[{"type":"thinking","thinking":"a"}])"), "[ab|||]");
}

TEST(OpenAiRequest, GetsWhatItLeavesUnsaidFromTheModelsDefaults) {
    const auto defaults = read_chat_defaults(
        R"({"temperature":0.2,"max_tokens":50,"stop":["x"],"custom":1,"json_only":true,"n":2})");
    ASSERT_TRUE(defaults);
    Request request =
        read(R"({"messages":[{"role":"user","content":"Hi"}],"temperature":1,"json_only":false,)"
             R"("max_completion_tokens":5})");
    chat::apply_defaults(*defaults, &request);
    EXPECT_EQ(request.sampling.temperature->raw, "1");
    EXPECT_EQ(request.max_tokens, 5);
    EXPECT_EQ(request.sampling.stop, std::vector<std::string>{"x"});
    EXPECT_EQ(chat::find(request.extras, "custom"), "1");
    EXPECT_EQ(request.gateway.json_only, chat::Wish::no);
    EXPECT_EQ(request.n, 2);
}

}  // namespace
}  // namespace runnel::api
