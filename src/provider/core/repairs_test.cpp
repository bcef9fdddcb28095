#include "provider/core/repairs.hpp"

#include "provider/registry.hpp"
#include "support/chat_requests.hpp"

#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

ErrorReply refusal(std::string_view body, int status = 400) { return {status, {}, body}; }

TEST(Repairs, KnowsAComplaintByItsStatusAndWords) {
    const auto body = R"({"error":{"message":"Unknown parameter: 'Stream_Options'."}})";
    EXPECT_TRUE(complains_of(refusal(body), {"stream_options"}));
    EXPECT_TRUE(complains_of(refusal(body, 422), {"other", "stream_options"}));
    EXPECT_FALSE(complains_of(refusal(body, 500), {"stream_options"}));
    EXPECT_FALSE(complains_of(refusal(body), {"temperature"}));
}

TEST(Repairs, TakesStreamOptionsOutAndNothingElse) {
    std::string body =
        R"({"messages":[{"content":"say ,\"stream_options\":{} to me"}],"stream":true,"stream_options":{"include_usage":true},"n":1})";
    ASSERT_TRUE(remove_stream_options(body));
    EXPECT_EQ(
        body,
        R"({"messages":[{"content":"say ,\"stream_options\":{} to me"}],"stream":true,"n":1})");
    EXPECT_FALSE(remove_stream_options(body));
}

TEST(Repairs, ReplacesEveryThoughtSignature) {
    std::string body =
        R"([{"text":"\"thoughtSignature\":\"x\"","thoughtSignature":"abc"},{"thoughtSignature":"d"}])";
    ASSERT_TRUE(replace_thought_signatures(body, "skip"));
    EXPECT_EQ(
        body,
        R"([{"text":"\"thoughtSignature\":\"x\"","thoughtSignature":"skip"},{"thoughtSignature":"skip"}])");
    EXPECT_FALSE(replace_thought_signatures(body, "skip")) << "that was tried already";
}

TEST(Repairs, TakesSignedThinkingOutWithItsBudget) {
    const auto repaired = [](std::string body) {
        return remove_signed_thinking(body) ? body : std::string("nothing");
    };
    EXPECT_EQ(
        repaired(
            R"({"max_tokens":9,"thinking":{"type":"enabled","budget_tokens":5},"messages":[{"content":[{"type":"thinking","thinking":"\"} \\","signature":"S="},{"type":"redacted_thinking","data":"R"},{"type":"tool_use","id":"a"}]},{"content":[{"type":"text","text":"{\"type\":\"thinking\",\"thinking\":\"x\"}"},{"type":"thinking","thinking":"","signature":"T"}]}]})"),
        R"({"max_tokens":9,"messages":[{"content":[{"type":"tool_use","id":"a"}]},{"content":[{"type":"text","text":"{\"type\":\"thinking\",\"thinking\":\"x\"}"}]}]})");
    EXPECT_EQ(repaired(R"({"max_tokens":9,"thinking":{"type":"enabled","budget_tokens":5}})"),
              "nothing");
    EXPECT_EQ(
        repaired(
            R"({"thinking":{"type":"adaptive"},"messages":[{"content":[{"type":"thinking","thinking":"a","signature":"S"},{"type":"text","text":"b"}]}]})"),
        R"({"thinking":{"type":"adaptive"},"messages":[{"content":[{"type":"text","text":"b"}]}]})");
    EXPECT_EQ(repaired(R"({"messages":[{"content":[{"type":"thinking","thinking":"cut)"),
              "nothing");
    EXPECT_EQ(
        repaired(
            R"({"messages":[{"content":[{"type":"tool_use","input":{"blocks":[{"type":"thinking","thinking":"a","signature":"S"}],"last":{"type":"thinking","thinking":"b"}}}]}]})"),
        "nothing")
        << "what a tool is asked is the client's";
}

TEST(Repairs, AsksClaudeAgainWithoutSignaturesThatDoNotFit) {
    const auto provider = make_provider({"mine", "anthropic", ""});
    ASSERT_TRUE(provider);
    Outgoing outgoing;
    outgoing.body =
        R"({"messages":[{"content":[{"type":"thinking","thinking":"a","signature":"S"},{"type":"tool_use","id":"t"}]}]})";
    EXPECT_FALSE((*provider)->repair(refusal(R"({"error":{"message":"bad role"}})"), &outgoing));
    const auto complaint =
        R"({"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block."}})";
    EXPECT_TRUE((*provider)->repair(refusal(complaint), &outgoing));
    EXPECT_EQ(outgoing.body, R"({"messages":[{"content":[{"type":"tool_use","id":"t"}]}]})");
    EXPECT_FALSE((*provider)->repair(refusal(complaint), &outgoing)) << "that was tried already";
}

}  // namespace
}  // namespace runnel::provider
