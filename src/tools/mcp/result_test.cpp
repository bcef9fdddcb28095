#include "tools/mcp/result.hpp"

#include <gtest/gtest.h>

namespace runnel::tools::mcp {
namespace {

ToolOutcome fold(std::string result, std::size_t bytes_max = 65536) {
    json::Parser parser;
    return fold_result(&parser, std::move(result), {.result_bytes = bytes_max});
}

TEST(McpResult, JoinsAllTextInOrder) {
    const auto outcome =
        fold(R"({"content":[{"type":"text","text":"one"},{"text":"\"two\"","type":"text"}]})");
    EXPECT_EQ(outcome.kind, ToolOutcome::Kind::completed);
    EXPECT_EQ(outcome.text, "one\n\"two\"");
    EXPECT_EQ(outcome.result_json, R"("one\n\"two\"")");
}

TEST(McpResult, KeepsWhatAToolSaysOfItsOwnFailure) {
    const auto outcome =
        fold(R"({"isError":true,"content":[{"type":"text","text":"no such file"}]})");
    EXPECT_EQ(outcome.kind, ToolOutcome::Kind::failed);
    EXPECT_EQ(outcome.text, "no such file");
}

TEST(McpResult, NamesWhatIsNoText) {
    const auto outcome = fold(
        R"({"content":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"},
        {"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"inside"}},
        {"type":"resource","resource":{"uri":"file:///a.gz","mimeType":"application/gzip","blob":"AAAA"}},
        {"type":"resource_link","uri":"file:///b","name":"b"},{"type":"novelty"},{}]})");
    EXPECT_EQ(outcome.text, "[image: image/png, 1 KiB]\ninside\n"
                            "[resource: file:///a.gz, application/gzip, 1 KiB]\n"
                            "[resource_link: b, file:///b]\n[novelty]\n[content]");
}

TEST(McpResult, StructuredContentIsTheJsonValueAndTheTextWhereThereIsNoOther) {
    const auto both = fold(
        R"({"content":[{"type":"text","text":"5.6 ETH"}],"structuredContent": {"eth" : 5.60}})");
    EXPECT_EQ(both.text, "5.6 ETH");
    EXPECT_EQ(both.result_json, R"({"eth":5.60})");
    const auto alone = fold(R"({"structuredContent":{"wei":123456789012345678901234567890}})");
    EXPECT_EQ(alone.text, R"({"wei":123456789012345678901234567890})");
    EXPECT_EQ(alone.result_json, alone.text);
}

TEST(McpResult, TextThatIsJsonIsAJsonValue) {
    EXPECT_EQ(fold(R"({"content":[{"type":"text","text":"{\"a\": [1, 2]}"}]})").result_json,
              R"({"a":[1,2]})");
    EXPECT_EQ(fold(R"({"content":[{"type":"text","text":"{\"a\": oops}"}]})").result_json,
              R"("{\"a\": oops}")");
    EXPECT_EQ(fold(R"({"content":[{"type":"text","text":"42"}]})").result_json, R"("42")");
}

TEST(McpResult, CutsLongTextBetweenCharactersAndSaysSo) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "\xC3\xA4";
    const auto outcome = fold(R"({"content":[{"type":"text","text":")" + text + R"("}]})", 501);
    EXPECT_LE(outcome.text.size(), 501u);
    EXPECT_TRUE(outcome.text.ends_with("\xA4\n[cut here: there is more]")) << outcome.text;
    EXPECT_TRUE(outcome.result_json.starts_with('"'));

    const auto exact = fold(R"({"content":[{"type":"text","text":")" + text + R"("}]})", 2000);
    EXPECT_EQ(exact.text, text);
}

TEST(McpResult, StructuredContentPastTheLimitIsCutText) {
    const auto outcome = fold(R"({"structuredContent":")" + std::string(1000, 'x') + R"("})", 200);
    EXPECT_LE(outcome.text.size(), 200u);
    EXPECT_TRUE(outcome.result_json.find("cut here") != std::string::npos);
}

TEST(McpResult, AnEmptyResultSaysSo) {
    for (const char* result : {"{}", R"({"content":[]})", R"({"content":null})", "[]"})
        EXPECT_EQ(fold(result).text, "(the tool returned nothing)") << result;
}

TEST(McpResult, AQuestionBackIsAFailureTheModelCanRead) {
    const auto outcome = fold(R"({"resultType":"input_required","inputRequests":{}})");
    EXPECT_EQ(outcome.kind, ToolOutcome::Kind::failed);
    EXPECT_NE(outcome.text.find("more input"), std::string::npos);
    EXPECT_EQ(fold(R"({"resultType":"complete","content":[]})").kind, ToolOutcome::Kind::completed);
    EXPECT_EQ(fold(R"({"resultType":"task","content":[]})").kind, ToolOutcome::Kind::failed);
}

}  // namespace
}  // namespace runnel::tools::mcp
