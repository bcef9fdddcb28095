#include "api/messages/request.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runnel::api::messages {
namespace {

using chat::Message;
using chat::Part;
using chat::Request;

Result<Request> read(std::string body) {
    json::Parser parser;
    auto request = read_request(std::move(body), &parser);
    if (!request) return request;
    if (auto checked = check_request(*request); !checked) return propagate(checked);
    return request;
}

std::string with(std::string_view fields) {
    return fmt::format(
        R"({{"model":"m","max_tokens":10,"messages":[{{"role":"user","content":"Hi"}}],{}}})",
        fields);
}

std::string with_messages(std::string_view messages) {
    return fmt::format(R"({{"model":"m","max_tokens":10,"messages":[{}]}})", messages);
}

Request accepted(std::string body) {
    auto request = read(std::move(body));
    EXPECT_TRUE(request) << request.error().message;
    return request ? std::move(*request) : Request();
}

std::string refusal_of(std::string body) {
    const auto request = read(std::move(body));
    return request ? "accepted" : request.error().param + ": " + request.error().message;
}

// A message in a line: its role and what its parts are.
std::string outline(const Message& message) {
    std::string line(chat::name_of(message.role));
    for (const Part& part : message.parts) {
        if (const auto* text = part.as<chat::Text>())
            line += fmt::format(" {}", text->text_escaped);
        if (const auto* call = part.as<chat::ToolCall>())
            line += fmt::format(" {}={}", call->id, call->arguments_raw);
        if (const auto* thought = part.as<chat::Reasoning>())
            line += fmt::format(" ({}|{}|{}|{})", thought->text_escaped, thought->signature_escaped,
                                thought->encrypted_escaped, thought->issuer);
        if (part.is<chat::Image>()) line += " image";
        if (const auto* other = part.as<chat::Other>()) line += fmt::format(" <{}>", other->type);
        if (part.cache) line += fmt::format("*{}", part.cache->ttl_escaped);
    }
    return line;
}

std::vector<std::string> outlines(const Request& request) {
    std::vector<std::string> lines;
    for (const Message& message : request.messages) lines.push_back(outline(message));
    return lines;
}

TEST(MessagesRequest, ReadsSystemTextWithItsCacheMarks) {
    const Request request = accepted(with(
        R"("system":[{"type":"text","text":"x-anthropic-billing-header: v"},)"
        R"({"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral","ttl":"1h"}}])"));
    EXPECT_EQ(
        outlines(request),
        (std::vector<std::string>{"system <x-anthropic-billing-header> Be brief.*1h", "user Hi"}));
    EXPECT_EQ(request.messages[1].number, 2U);
    EXPECT_EQ(outline(accepted(with(R"("system":"Be brief.")")).messages[0]), "system Be brief.");
}

TEST(MessagesRequest, KeepsATurnsBlocksInTheirOrder) {
    const Request request = accepted(with_messages(
        R"({"role":"user","content":"x"},)"
        R"({"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"S"},)"
        R"({"type":"redacted_thinking","data":"D"},{"type":"text","text":"t"},)"
        R"({"type":"tool_use","id":"c1","name":"f","input":{"a": 1}},)"
        R"({"type":"thinking","thinking":"b","signature":"runnel:8:gemini/x:G"},)"
        R"({"type":"tool_use","id":"c2","name":"f","input":{}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},)"
        R"({"type":"tool_result","tool_use_id":"c2","is_error":true,"content":[)"
        R"({"type":"text","text":"two"},{"type":"image","source":{"type":"base64",)"
        R"("media_type":"image/png","data":"AA"}}]},{"type":"text","text":"go on"}]})"));
    EXPECT_EQ(outlines(request),
              (std::vector<std::string>{
                  "user x",
                  "assistant (a|S||anthropic) (||D|anthropic) t c1={\"a\": 1} (b|G||gemini/x) "
                  "c2={}",
                  "tool one", "tool two image", "user go on"}));
    EXPECT_EQ(request.messages[3].tool_call_id, "c2");
    EXPECT_EQ(request.messages[3].failed, chat::Wish::yes);
}

TEST(MessagesRequest, KeepsWhatOnlyAnthropicKnows) {
    const Request request = accepted(
        with(R"("context_management":{"edits":[]},"thinking":{"type":"adaptive"},"tools":[)"
             R"({"type":"web_search_20250305","name":"web_search"},)"
             R"({"name":"f","input_schema":{"type":"object"},"eager_input_streaming":true}])"));
    EXPECT_EQ(chat::find(request.extras, "context_management"), R"({"edits":[]})");
    EXPECT_EQ(chat::find(request.extras, "thinking"), R"({"type":"adaptive"})");
    ASSERT_EQ(request.tools.size(), 2U);
    EXPECT_EQ(request.tools[0].kind, chat::Tool::Kind::provider);
    EXPECT_EQ(request.tools[0].raw, R"({"type":"web_search_20250305","name":"web_search"})");
    EXPECT_EQ(chat::find(request.tools[1].extras, "eager_input_streaming"), "true");
    const Request blocks =
        accepted(with_messages(R"({"role":"user","content":[{"type":"search_result","source":"s"},)"
                               R"({"type":"text","text":"a","x":1}]})"));
    EXPECT_EQ(outline(blocks.messages[0]), "user <search_result> a");
    EXPECT_EQ(chat::find(blocks.messages[0].parts[1].extras, "x"), "1");
}

TEST(MessagesRequest, ReadsDocuments) {
    const Request request = accepted(with_messages(
        R"({"role":"user","content":[{"type":"document","source":{"type":"base64",)"
        R"("media_type":"application/pdf","data":"AA"},"title":"a.pdf","citations":{"enabled":true}},)"
        R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}]})"));
    const auto* pages = request.messages[0].parts[0].as<chat::File>();
    ASSERT_NE(pages, nullptr);
    EXPECT_EQ(pages->source.data_escaped, "AA");
    EXPECT_EQ(pages->filename_escaped, "a.pdf");
    EXPECT_EQ(pages->citations, chat::Wish::yes);
    EXPECT_EQ(request.messages[0].parts[1].as<chat::File>()->text_escaped, "words");
}

TEST(MessagesRequest, UnderstandsHowMuchItShouldThink) {
    const auto wish = [](std::string_view fields) { return accepted(with(fields)).reasoning; };
    EXPECT_EQ(wish(R"("thinking":{"type":"enabled","budget_tokens":2000})").budget_tokens, 2000);
    EXPECT_EQ(wish(R"("thinking":{"type":"disabled"})").effort, chat::Effort::none);
    EXPECT_TRUE(wish(R"("thinking":{"type":"adaptive"})").effort_is_implied);
    EXPECT_EQ(wish(R"("output_config":{"effort":"max"},"thinking":{"type":"adaptive"})").effort,
              chat::Effort::max);
}

TEST(MessagesRequest, ReadsToolChoices) {
    const std::string_view tools =
        R"("tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":)";
    const auto choice = [&](std::string_view raw) {
        return accepted(with(fmt::format("{}{}", tools, raw)));
    };
    using Kind = chat::ToolChoice::Kind;
    EXPECT_EQ(choice(R"({"type":"auto"})").tool_choice.kind, Kind::automatic);
    EXPECT_EQ(choice(R"({"type":"any"})").tool_choice.kind, Kind::required);
    EXPECT_EQ(choice(R"({"type":"none"})").tool_choice.kind, Kind::none);
    const Request named = choice(R"({"type":"tool","name":"f","disable_parallel_tool_use":true})");
    EXPECT_EQ(named.tool_choice.name, "f");
    EXPECT_EQ(named.parallel_tool_calls, false);
}

TEST(MessagesRequest, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(refusal_of(R"({"model":"m","messages":[{"role":"user","content":"x"}]})"),
              "max_tokens: max_tokens: Field required");
    EXPECT_EQ(refusal_of(R"({"model":"m","max_tokens":1})"), "messages: messages: Field required");
    EXPECT_EQ(refusal_of(with_messages(R"({"role":"bot","content":"x"})")),
              "messages[0]: messages[0] has the role \"bot\"; it must be \"user\" or "
              "\"assistant\"");
    EXPECT_TRUE(refusal_of(with_messages(R"({"role":"user","content":[{"type":"tool_result",)"
                                         R"("tool_use_id":"c9","content":"x"}]})"))
                    .contains("unexpected `tool_use_id`"));
    EXPECT_TRUE(refusal_of(with(R"("tools":[{"name":"f"}])")).contains("input_schema"));
    EXPECT_TRUE(refusal_of(with(R"("tool_choice":{"type":"tool","name":"g"})")).contains("\"g\""));
    EXPECT_TRUE(refusal_of(with(R"("temperature":1.5)")).contains("from 0 to 1"));
}

}  // namespace
}  // namespace runnel::api::messages
