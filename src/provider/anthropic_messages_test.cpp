#include "provider/anthropic_messages.hpp"

#include "support/anthropic_bodies.hpp"
#include "support/chat_requests.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::anthropic {
namespace {

using namespace runnel::testing;

TEST(AnthropicMessages, LiftsLeadingSystemTextsAndWrapsLaterOnes) {
    const Request request = asking({
        said(Role::system, "One"),
        said(Role::developer, {text("  \\n"), text("Two", R"({"type": "ephemeral"})")}),
        said(Role::user, "Hi"),
        said(Role::system, "Be brief"),
    });
    EXPECT_EQ(between(body_of(request), "system"),
              R"([{"type":"text","text":"One"},)"
              R"({"type":"text","text":"Two","cache_control":{"type":"ephemeral"}}],)"
              R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"},)"
              R"({"type":"text","text":"<system-reminder>\nBe brief\n</system-reminder>"}]}])");
}

TEST(AnthropicMessages, MakesTurnsOfMessages) {
    struct Case {
        std::vector<Message> messages;
        std::string_view written;
    };
    const Case cases[] = {
        // Consecutive messages of one role are one turn; text goes on as it is escaped.
        {{said(Role::user, "a\\u00e9"), said(Role::user, "\\\"b\\\""), said(Role::assistant, "c"),
          said(Role::user, "d")},
         R"([{"role":"user","content":[{"type":"text","text":"a\u00e9"},{"type":"text","text":"\"b\""}]},)"
         R"({"role":"assistant","content":[{"type":"text","text":"c"}]},)"
         R"({"role":"user","content":[{"type":"text","text":"d"}]}])"},
        // Empty texts are refused by the API.
        {{said(Role::user, {text(""), text("a"), text("\\n ")}), said(Role::assistant, ""),
          said(Role::user, "b")},
         R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])"},
        {{said(Role::user, "")}, R"([{"role":"user","content":[{"type":"text","text":"."}]}])"},
        {{said(Role::system, "s")}, R"([{"role":"user","content":[{"type":"text","text":"."}]}])"},
        // The first turn is the user's.
        {{said(Role::assistant, "Hello"), said(Role::user, "Hi")},
         R"([{"role":"user","content":[{"type":"text","text":"."}]},)"
         R"({"role":"assistant","content":[{"type":"text","text":"Hello"}]},)"
         R"({"role":"user","content":[{"type":"text","text":"Hi"}]}])"},
        // The beginning of an answer may not end with white space; \\n is a backslash and an n.
        {{said(Role::user, "Hi"), said(Role::assistant, "Sure: \\n\\t")},
         R"([{"role":"user","content":[{"type":"text","text":"Hi"}]},)"
         R"({"role":"assistant","content":[{"type":"text","text":"Sure:"}]}])"},
        {{said(Role::user, "Hi"), said(Role::assistant, "C:\\\\n ")},
         R"([{"role":"user","content":[{"type":"text","text":"Hi"}]},)"
         R"({"role":"assistant","content":[{"type":"text","text":"C:\\n"}]}])"},
    };
    for (const Case& c : cases) EXPECT_EQ(messages_of(asking(c.messages)), c.written);
}

TEST(AnthropicMessages, AddsAUserTurnWhereTheModelTakesNoPrefill) {
    const Request request = asking({said(Role::user, "Hi"), said(Role::assistant, "Well ")});
    EXPECT_EQ(messages_of(request, "claude-opus-4-7"),
              R"([{"role":"user","content":[{"type":"text","text":"Hi"}]},)"
              R"({"role":"assistant","content":[{"type":"text","text":"Well "}]},)"
              R"({"role":"user","content":[{"type":"text","text":"Continue."}]}])");
}

TEST(AnthropicMessages, PutsResultsFirstInTheOrderOfTheCalls) {
    Request request = asking({
        said(Role::user, "Go"),
        called({{"call_toolu_01A", R"({\"q\": \"x\"})"}, {"call_toolu_01B", ""}}),
        result("call_toolu_01B", "second"),
        said(Role::user, "And?"),
        result("call_toolu_01A", "first"),
    });
    request.tools = {tool("find")};
    EXPECT_EQ(messages_of(request),
              R"([{"role":"user","content":[{"type":"text","text":"Go"}]},)"
              R"({"role":"assistant","content":[)"
              R"({"type":"tool_use","id":"toolu_01A","name":"find","input":{"q":"x"}},)"
              R"({"type":"tool_use","id":"toolu_01B","name":"find","input":{}}]},)"
              R"({"role":"user","content":[)"
              R"({"type":"tool_result","tool_use_id":"toolu_01A","content":"first"},)"
              R"({"type":"tool_result","tool_use_id":"toolu_01B","content":"second"},)"
              R"({"type":"text","text":"And?"}]}])");
}

TEST(AnthropicMessages, FillsMissingResultsAndTellsOrphansAsText) {
    Request request = asking({
        said(Role::user, "Go"),
        called({{"a", "{}"}, {"b", "{}"}}),
        result("b", ""),
        result("z", "lost"),
    });
    request.tools = {tool("find")};
    const std::string messages = messages_of(request);
    EXPECT_EQ(
        messages.substr(messages.rfind(R"({"role")")),
        R"({"role":"user","content":[)"
        R"({"type":"tool_result","tool_use_id":"a","content":"No result was returned."},)"
        R"({"type":"tool_result","tool_use_id":"b"},)"
        R"({"type":"text","text":"The result of an earlier tool call:"},{"type":"text","text":"lost"}]}])");
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"missing_tool_result"});
}

TEST(AnthropicMessages, MatchesResultsOfIdsThatAreUsedAgain) {
    Request request = asking({said(Role::user, "Go"), called({{"c", "{}"}}), result("c", "one"),
                              called({{"c", "{}"}}), result("c", "two")});
    request.tools = {tool("find")};
    const std::string messages = messages_of(request);
    EXPECT_LT(messages.find("one"), messages.find("two"));
    EXPECT_EQ(messages.find("No result"), std::string::npos);
}

TEST(AnthropicMessages, GivesEveryCallAnObjectForInput) {
    struct Case {
        std::string_view arguments;
        std::string_view input;
    };
    constexpr Case cases[] = {
        {"", "{}"},
        {"  ", "{}"},
        {R"({\"b\":1.50,\"a\":9007199254740993})", R"({"b":1.50,"a":9007199254740993})"},
        {R"({\"a\":\"\\u00e9\\n\"})", R"({"a":"\u00e9\n"})"},
        {R"([1])", R"({"rawInvalidInput":"[1]"})"},
        {R"({\"a\":)", R"({"rawInvalidInput":"{\"a\":"})"},
        {R"({} {})", R"({"rawInvalidInput":"{} {}"})"},
        {"null", R"({"rawInvalidInput":"null"})"},
    };
    for (const auto& [arguments, input] : cases) {
        Request request = asking({said(Role::user, "Go"), called({{"c", arguments}})});
        request.tools = {tool("find")};
        EXPECT_NE(body_of(request).find(fmt::format(R"("input":{}}})", input)), std::string::npos)
            << body_of(request);
    }
}

TEST(AnthropicMessages, KeepsLegalIdsAndRenamesOthersTheSameWayEverywhere) {
    struct Case {
        std::string_view id;
        std::string_view native;
    };
    constexpr Case cases[] = {
        {"call_toolu_01A", "toolu_01A"},
        {"call_srvtoolu_01A", "srvtoolu_01A"},
        {"toolu_01A", "toolu_01A"},
        {"call_abc", "call_abc"},
        {"functions.find:0", "functions_find_0_6324c915e8c58159"},
        {"functions.find.0", "functions_find_0_6368e115e8ff76ed"},
    };
    for (const auto& [id, native] : cases) {
        Request request = asking({said(Role::user, "Go"), called({{std::string(id), "{}"}}),
                                  result(std::string(id), "r")});
        request.tools = {tool("find")};
        const std::string body = body_of(request);
        EXPECT_NE(body.find(fmt::format(R"("id":"{}")", native)), std::string::npos) << body;
        EXPECT_NE(body.find(fmt::format(R"("tool_use_id":"{}")", native)), std::string::npos)
            << body;
    }
}

TEST(AnthropicMessages, WritesImagesAndFilesAsBlocks) {
    struct Case {
        Part part;
        std::string_view block;
    };
    const auto file = [](std::string_view data, std::string_view name = {}) {
        return Part{.kind = Part::Kind::file, .data_escaped = data, .filename_escaped = name};
    };
    const Case cases[] = {
        {image("https://a/b.png"),
         R"({"type":"image","source":{"type":"url","url":"https://a/b.png"}})"},
        // The bytes say what they are.
        {image("data:image/png;base64,/9j/4AAQ"),
         R"({"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/4AAQ"}})"},
        {image(R"(data:image\/gif;base64,\/9j\/4AAQ)"),
         R"({"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"\/9j\/4AAQ"}})"},
        {image("data:application/pdf;base64,JVBERi0x"),
         R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"}})"},
        {file("data:application/pdf;base64,JVBERi0x", "a.pdf"),
         R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"},"title":"a.pdf"})"},
        {file("data:text/markdown;base64,IyBIw6kKIng=", "a.md"),
         R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"# Hé\n\"x"},"title":"a.md"})"},
        {file("data:image/png;base64,iVBORw0KGgoAAA", "a.png"),
         R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAA"}})"},
        {file("JVBERi0x"),
         R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"}})"},
        {Part{.kind = Part::Kind::file, .file_id_escaped = "file_1"},
         R"({"type":"document","source":{"type":"file","file_id":"file_1"}})"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(messages_of(asking({said(Role::user, {c.part})})),
                  fmt::format(R"([{{"role":"user","content":[{}]}}])", c.block));
}

TEST(AnthropicMessages, KeepsTheLastFourCacheMarks) {
    constexpr std::string_view mark = R"({"type":"ephemeral"})";
    Request request =
        asking({said(Role::system, {text("s", mark)}), said(Role::user, {text("u", mark)}),
                said(Role::assistant, "a"), said(Role::user, "v")});
    request.tools = {tool("t"), tool("u")};
    request.tools[0].cache_control_raw = mark;
    request.tools[1].cache_control_raw = mark;
    request.messages[3].cache_control_raw = mark;
    EXPECT_EQ(
        between(body_of(request), "tools"),
        R"([{"name":"t","input_schema":{"type":"object"}},)"
        R"({"name":"u","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],)"
        R"("system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],)"
        R"("messages":[{"role":"user","content":[{"type":"text","text":"u","cache_control":{"type":"ephemeral"}}]},)"
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]},)"
        R"({"role":"user","content":[{"type":"text","text":"v","cache_control":{"type":"ephemeral"}}]}])");
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_cache_control"});

    request.fields = {{"cache_control", R"({"type":"ephemeral"})"}};
    const std::string body = body_of(request);
    EXPECT_EQ(between(body, "tools", "system").find("cache_control"), std::string::npos) << body;
    EXPECT_TRUE(body.ends_with(R"(],"cache_control":{"type":"ephemeral"}})")) << body;
}

TEST(AnthropicMessages, ReturnsSignedThinkingFromAnyCarrier) {
    struct Case {
        std::string_view what;
        Message message;
    };
    std::vector<Case> cases;
    const auto carried = [&](std::string_view what) -> Message& {
        return cases
            .emplace_back(Case{what, called({{"call_toolu_1", "{}"}, {"call_toolu_2", "{}"}})})
            .message;
    };
    carried("kept state").kept_state = {
        {"anthropic/claude-sonnet-4-5", R"([{"type":"thinking","thinking":"","signature":"old"}])"},
        {"anthropic/claude-sonnet-4-5",
         R"([{"type":"thinking","thinking":"h\nm","signature":"S"}])"}};
    carried("thinking_blocks").thinking_blocks_raw =
        R"([{"type":"thinking","thinking":"h\nm","signature":"S","cache_control":null},{"type":"thinking","thinking":"unsigned"}])";
    carried("reasoning_details").reasoning_details_raw =
        R"([{"type":"reasoning.text","text":"h\nm","signature":"S","format":"anthropic-claude-v1","index":0},{"type":"reasoning.encrypted","data":"x","format":"openai-responses-v1"}])";
    for (const auto& [what, message] : cases) {
        Request request = asking({said(Role::user, "Go"), message, result("call_toolu_1", "r")});
        request.tools = {tool("find")};
        request.reasoning.effort = chat::Effort::low;
        const std::string body = body_of(request);
        EXPECT_NE(
            body.find(
                R"({"role":"assistant","content":[{"type":"thinking","thinking":"h\nm","signature":"S"},{"type":"tool_use","id":"toolu_1")"),
            std::string::npos)
            << what << "\n"
            << body;
        EXPECT_NE(body.find(R"("budget_tokens":1024)"), std::string::npos) << what;
    }
}

TEST(AnthropicMessages, NeverReturnsThinkingToAnotherModel) {
    Message message = called({{"call_toolu_1", "{}"}});
    message.kept_state = {
        {"anthropic/claude-opus-4-5", R"([{"type":"redacted_thinking","data":"d"}])"}};
    message.reasoning_escaped = "hm";
    Request request = asking({said(Role::user, "Go"), message, result("call_toolu_1", "r")});
    request.tools = {tool("find")};
    request.reasoning.effort = chat::Effort::low;
    // And a budget without the thinking of the last tool turn is refused upstream.
    EXPECT_EQ(body_of(request).find("thinking"), std::string::npos);
    EXPECT_NE(
        body_of(request, "claude-opus-4-5").find(R"({"type":"redacted_thinking","data":"d"})"),
        std::string::npos);
}

}  // namespace
}  // namespace runnel::provider::anthropic
