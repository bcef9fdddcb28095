#include "provider/anthropic/messages.hpp"

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
        said(Role::developer, {text("  \\n"), marked(text("Two"))}),
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
        {"null", "{}"},
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
    const auto file = [](chat::Source source, std::string_view name = {}) {
        return Part{chat::File{.source = source, .filename_escaped = name}};
    };
    using chat::source_of_url;
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
        {file(source_of_url("data:application/pdf;base64,JVBERi0x"), "a.pdf"),
         R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"},"title":"a.pdf"})"},
        {file(source_of_url("data:text/markdown;base64,IyBIw6kKIng="), "a.md"),
         R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"# Hé\n\"x"},"title":"a.md"})"},
        {file(source_of_url("data:image/png;base64,iVBORw0KGgoAAA"), "a.png"),
         R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAA"}})"},
        {file({.data_escaped = "JVBERi0x"}),
         R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"}})"},
        {file({.file_id_escaped = "file_1"}),
         R"({"type":"document","source":{"type":"file","file_id":"file_1"}})"},
        {file({.url_escaped = "https://a/b.pdf"}),
         R"({"type":"document","source":{"type":"url","url":"https://a/b.pdf"}})"},
        {Part{chat::Image{.source = {.file_id_escaped = "file_1"}}},
         R"({"type":"image","source":{"type":"file","file_id":"file_1"}})"},
        {Part{chat::File{.text_escaped = R"(One\ntwo)",
                         .filename_escaped = "Notes",
                         .context_escaped = "Of today",
                         .citations = chat::Wish::yes}},
         R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"One\ntwo"},"title":"Notes","context":"Of today","citations":{"enabled":true}})"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(messages_of(asking({said(Role::user, {c.part})})),
                  fmt::format(R"([{{"role":"user","content":[{}]}}])", c.block));
}

TEST(AnthropicMessages, KeepsTheLastFourCacheMarks) {
    Request request =
        asking({said(Role::system, {marked(text("s"))}), said(Role::user, {marked(text("u"))}),
                said(Role::assistant, "a"), said(Role::user, "v")});
    request.tools = {tool("t"), tool("u")};
    request.tools[0].cache.emplace();
    request.tools[1].cache.emplace();
    request.messages[3].cache.emplace();
    EXPECT_EQ(
        between(body_of(request), "tools"),
        R"([{"name":"t","input_schema":{"type":"object"}},)"
        R"({"name":"u","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],)"
        R"("system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],)"
        R"("messages":[{"role":"user","content":[{"type":"text","text":"u","cache_control":{"type":"ephemeral"}}]},)"
        R"({"role":"assistant","content":[{"type":"text","text":"a"}]},)"
        R"({"role":"user","content":[{"type":"text","text":"v","cache_control":{"type":"ephemeral"}}]}])");
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_cache_control"});

    request.cache.emplace();
    const std::string body = body_of(request);
    EXPECT_EQ(between(body, "tools", "system").find("cache_control"), std::string::npos) << body;
    EXPECT_TRUE(body.ends_with(R"(],"cache_control":{"type":"ephemeral"}})")) << body;
}

Part thought(std::string_view words, std::string_view signature, std::string issuer = "anthropic") {
    return {chat::Reasoning{
        .text_escaped = words, .signature_escaped = signature, .issuer = std::move(issuer)}};
}

Part redacted(std::string_view data) {
    return {chat::Reasoning{.encrypted_escaped = data, .issuer = "anthropic"}};
}

Part call(std::string id, std::string_view arguments_raw = "{}") {
    return {chat::ToolCall{.id = std::move(id), .name = "find", .arguments_raw = arguments_raw}};
}

// A call beside which this gateway kept what Claude Sonnet 4.5 thought before it.
Part remembered(std::string id, std::string blocks_raw) {
    Part part = call(std::move(id));
    part.as<chat::ToolCall>()->state = {"anthropic/claude-sonnet-4-5", std::move(blocks_raw)};
    return part;
}

// A question that is still being answered: the assistant's turn, and the results of its calls.
Request answering(std::vector<Part> parts, std::vector<std::string> calls) {
    Request request = asking({said(Role::user, "Go"), said(Role::assistant, std::move(parts))});
    for (std::string& id : calls) request.messages.push_back(result(std::move(id), "r"));
    request.tools = {tool("find")};
    request.reasoning.effort = chat::Effort::low;
    return request;
}

// The blocks of the first turn of the assistant's.
std::string answer_of(const Request& request, std::string_view model = sonnet) {
    constexpr std::string_view begin = R"({"role":"assistant","content":)";
    const std::string messages = messages_of(request, model);
    const std::size_t at = messages.find(begin);
    if (at == std::string::npos) return "absent from " + messages;
    const std::size_t from = at + begin.size();
    return messages.substr(from, messages.find("},{\"role\":", from) - from);
}

TEST(AnthropicMessages, ReturnsSignedThinkingFromTheClientOrFromMemory) {
    struct Case {
        std::string_view what;
        std::vector<Part> parts;
    };
    const Case cases[] = {
        // The last state has all that came before it.
        {"kept state",
         {remembered("call_toolu_1", R"([{"type":"thinking","thinking":"","signature":"old"}])"),
          remembered("call_toolu_2",
                     R"([{"type":"thinking","thinking":"h\nm","signature":"S"}])")}},
        {"the client's own",
         {thought(R"(h\nm)", "S"), thought("unsigned", ""), call("call_toolu_1"),
          call("call_toolu_2")}},
        {"nobody's",
         {thought(R"(h\nm)", "S", ""), thought("x", "y", "openai"), call("call_toolu_1"),
          call("call_toolu_2")}},
        {"both",
         {thought(R"(h\nm)", "S", "anthropic/claude-sonnet-4-5"),
          remembered("call_toolu_1", R"([{"type":"redacted_thinking","data":"d"}])"),
          call("call_toolu_2")}},
    };
    for (const auto& [what, parts] : cases) {
        const Request request = answering(parts, {"call_toolu_1"});
        EXPECT_EQ(answer_of(request),
                  R"([{"type":"thinking","thinking":"h\nm","signature":"S"},)"
                  R"({"type":"tool_use","id":"toolu_1","name":"find","input":{}},)"
                  R"({"type":"tool_use","id":"toolu_2","name":"find","input":{}}])")
            << what;
        EXPECT_NE(body_of(request).find(R"("budget_tokens":1024)"), std::string::npos) << what;
    }
}

TEST(AnthropicMessages, PutsThinkingFromMemoryWhereItWas) {
    const std::string first = R"({"type":"thinking","thinking":"a","signature":"S"})";
    const std::string second = R"({"type":"redacted_thinking","data":"d"})";
    const Request request =
        answering({text("Let me see."), remembered("toolu_1", "[" + first + "]"),
                   remembered("toolu_2", "[" + first + "]"),
                   remembered("toolu_3", "[" + first + "," + second + "]")},
                  {"toolu_1", "toolu_2", "toolu_3"});
    EXPECT_EQ(answer_of(request),
              "[" + first + R"(,{"type":"text","text":"Let me see."},)" +
                  R"({"type":"tool_use","id":"toolu_1","name":"find","input":{}},)" +
                  R"({"type":"tool_use","id":"toolu_2","name":"find","input":{}},)" + second +
                  R"(,{"type":"tool_use","id":"toolu_3","name":"find","input":{}}])");
}

TEST(AnthropicMessages, NeverReturnsThinkingToAnotherModel) {
    std::vector<Part> parts{
        thought("hm", ""), thought("hm", "S", "anthropic/claude-opus-4-5"),
        remembered("call_toolu_1", R"([{"type":"redacted_thinking","data":"d"}])")};
    Request request = answering(parts, {"call_toolu_1"});
    parts[2].as<chat::ToolCall>()->state->owner = "anthropic/claude-opus-4-5";
    request.messages[1].parts = {parts[0], parts[1], parts[2]};
    // And a budget without the thinking of the last tool turn is refused upstream.
    EXPECT_EQ(body_of(request).find("thinking"), std::string::npos);
    EXPECT_NE(body_of(request, "claude-opus-4-5").find(R"("thinking":"hm","signature":"S")"),
              std::string::npos);
    request.messages[1].parts = {parts[0], parts[2]};
    EXPECT_EQ(body_of(request).find("thinking"), std::string::npos);
    EXPECT_NE(
        body_of(request, "claude-opus-4-5").find(R"({"type":"redacted_thinking","data":"d"})"),
        std::string::npos);
}

TEST(AnthropicMessages, LeavesTheAssistantsPartsInTheirOrder) {
    const Request request =
        answering({thought("a", "S1"), text("One."), call("toolu_1", R"({"q": 1.50})"),
                   redacted("d"), thought("b", "S2"), call("toolu_2")},
                  {"toolu_2", "toolu_1"});
    EXPECT_EQ(messages_of(request),
              R"([{"role":"user","content":[{"type":"text","text":"Go"}]},)"
              R"({"role":"assistant","content":[)"
              R"({"type":"thinking","thinking":"a","signature":"S1"},)"
              R"({"type":"text","text":"One."},)"
              R"({"type":"tool_use","id":"toolu_1","name":"find","input":{"q":1.50}},)"
              R"({"type":"redacted_thinking","data":"d"},)"
              R"({"type":"thinking","thinking":"b","signature":"S2"},)"
              R"({"type":"tool_use","id":"toolu_2","name":"find","input":{}}]},)"
              R"({"role":"user","content":[)"
              R"({"type":"tool_result","tool_use_id":"toolu_1","content":"r"},)"
              R"({"type":"tool_result","tool_use_id":"toolu_2","content":"r"}]}])");
}

TEST(AnthropicMessages, LeavesOutATurnThatOnlyThought) {
    const Request request =
        asking({said(Role::user, "a"), said(Role::assistant, {thought("hm", "S"), text(" ")}),
                said(Role::user, "b")});
    EXPECT_EQ(
        messages_of(request),
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
}

TEST(AnthropicMessages, SaysWhichCallsFailed) {
    Request request = answering({call("toolu_1"), call("toolu_2"), call("toolu_3")},
                                {"toolu_1", "toolu_2", "toolu_3"});
    request.messages[2].failed = chat::Wish::yes;
    request.messages[3].failed = chat::Wish::no;
    request.messages[4].failed = chat::Wish::yes;
    request.messages[4].parts.clear();
    request.messages[4].cache.emplace("1h");
    const std::string messages = messages_of(request);
    EXPECT_EQ(messages.substr(messages.rfind(R"({"role")")),
              R"({"role":"user","content":[)"
              R"({"type":"tool_result","tool_use_id":"toolu_1","content":"r","is_error":true},)"
              R"({"type":"tool_result","tool_use_id":"toolu_2","content":"r"},)"
              R"({"type":"tool_result","tool_use_id":"toolu_3","content":".","is_error":true,)"
              R"("cache_control":{"type":"ephemeral","ttl":"1h"}}]}])");
}

TEST(AnthropicMessages, PutsAMessagesMarkOnTheLastPartThatTakesOne) {
    Request request =
        answering({text("One."), marked(call("toolu_1")), call("toolu_2"), thought("a", "S")},
                  {"toolu_1", "toolu_2"});
    request.messages[1].cache.emplace();
    EXPECT_EQ(
        answer_of(request),
        R"([{"type":"text","text":"One."},)"
        R"({"type":"tool_use","id":"toolu_1","name":"find","input":{},"cache_control":{"type":"ephemeral"}},)"
        R"({"type":"tool_use","id":"toolu_2","name":"find","input":{},"cache_control":{"type":"ephemeral"}},)"
        R"({"type":"thinking","thinking":"a","signature":"S"}])");
}

// What only the Messages API has a word for: a part with a citation, a search that the provider
// made and what it found, a result with a reference, a message with a field of its own.
Request in_own_words() {
    Part cited = text("It is.");
    cited.extras = {{"citations", R"([{"type":"char_location","cited_text":"so"}])"}};
    const Part search{chat::Other{
        "server_tool_use",
        R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}})"}};
    const Part found{chat::Other{
        "web_search_tool_result",
        R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]})"}};
    Part asked = call("toolu_1");
    asked.extras = {{"caller", R"({"type":"direct"})"}};
    Request request = answering({thought("a", "S"), search, found, cited, asked}, {"toolu_1"});
    request.messages[2].parts = {
        text("r"), {chat::Other{"tool_reference", R"({"type":"tool_reference","tool_name":"t"})"}}};
    request.messages[2].extras = {{"note", "1"}};
    return request;
}

TEST(AnthropicMessages, LosesAndMovesNothingThatAnthropicSaid) {
    Request request = in_own_words();
    request.api = chat::Api::messages;
    request.max_tokens = 4000;
    EXPECT_EQ(
        messages_of(request),
        R"([{"role":"user","content":[{"type":"text","text":"Go"}]},)"
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"S"},)"
        R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},)"
        R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},)"
        R"({"type":"text","text":"It is.","citations":[{"type":"char_location","cited_text":"so"}]},)"
        R"({"type":"tool_use","id":"toolu_1","name":"find","input":{},"caller":{"type":"direct"}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[)"
        R"({"type":"text","text":"r"},{"type":"tool_reference","tool_name":"t"}],"note":1}]}])");
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{});
}

TEST(AnthropicMessages, KeepsAnotherApisOwnWordsFromAnthropic) {
    Request request = in_own_words();
    request.messages[2].parts.pop_back();
    EXPECT_EQ(answer_of(request),
              R"([{"type":"thinking","thinking":"a","signature":"S"},)"
              R"({"type":"text","text":"It is."},)"
              R"({"type":"tool_use","id":"toolu_1","name":"find","input":{}}])");
    EXPECT_EQ(body_of(request).find("note"), std::string::npos);
    EXPECT_EQ(warnings_of(request), std::vector<std::string>{"dropped_content_part"});
}

TEST(AnthropicMessages, LetsAPausedTurnGoOn) {
    Request request = in_own_words();
    request.messages.pop_back();
    request.messages[1].parts.resize(2);
    request.api = chat::Api::messages;
    EXPECT_TRUE(messages_of(request, "claude-opus-4-7").ends_with(R"({"query":"x"}}]}])"));
}

}  // namespace
}  // namespace runnel::provider::anthropic
