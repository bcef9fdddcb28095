#include "provider/openai/messages.hpp"

#include "support/chat_requests.hpp"
#include "support/openai_bodies.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using testing::body_for;
using testing::messages;
using testing::messages_in;
using testing::openai_request;
using testing::result;
using testing::said;
using testing::text;

TEST(OpenAiMessages, SaysAllThatTheClientSaid) {
    const std::string_view list =
        R"({"role":"system","content":"s"},)"
        R"({"role":"user","name":"n","content":[{"type":"text","text":"t","x":1},)"
        R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},)"
        R"({"type":"image_url","image_url":{"url":"https://a.example/b.png"}},)"
        R"({"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}},)"
        R"({"type":"video_url","video_url":{"url":"u"}}],"extra":1},)"
        R"({"role":"assistant","content":null,"refusal":"no"})";
    EXPECT_EQ(messages("openai", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, SaysOneTextAsAString) {
    EXPECT_EQ(messages("openai", R"({"role":"user","content":[{"type":"text","text":"a"}]})"),
              R"([{"role":"user","content":"a"}])");
}

TEST(OpenAiMessages, CallsTheDeveloperSystemForThoseWhoDoNotKnowIt) {
    const std::string_view list = R"({"role":"developer","content":"s"})";
    EXPECT_EQ(messages("openai", list), R"([{"role":"developer","content":"s"}])");
    EXPECT_EQ(messages("xai", list), R"([{"role":"system","content":"s"}])");
}

TEST(OpenAiMessages, JoinsTextPartsForThoseWhoWantAString) {
    const std::string_view list =
        R"({"role":"user","content":[{"type":"text","text":"a \"b\""},{"type":"text","text":"c"}]})";
    EXPECT_EQ(messages("deepseek", list), R"([{"role":"user","content":"a \"b\"\nc"}])");
    const std::string_view image =
        R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]})";
    EXPECT_EQ(messages("moonshot", image), fmt::format("[{}]", image));
}

TEST(OpenAiMessages, StripsCacheMarksForThoseWhoRefuseThem) {
    const std::string_view list =
        R"({"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}]})";
    EXPECT_EQ(
        messages("openai", list),
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
    EXPECT_EQ(messages("openrouter", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, TakesABareImageAddress) {
    EXPECT_EQ(
        messages("azure", R"({"role":"user","content":[{"type":"image_url","image_url":"u"}]})"),
        R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}])");
}

TEST(OpenAiMessages, DropsNamesWhereTheyAreRefused) {
    const std::string_view list = R"({"role":"user","name":"n","content":"a"})";
    EXPECT_EQ(messages("groq", list), R"([{"role":"user","content":"a"}])");
    EXPECT_EQ(messages("mistral", list), R"([{"role":"user","content":"a"}])");
    EXPECT_EQ(messages("together", list), fmt::format("[{}]", list));
}

constexpr std::string_view tool_loop =
    R"({"role":"user","content":"q"},)"
    R"({"role":"assistant","content":null,"refusal":null,"function_call":null,"reasoning_content":"hm","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]},)"
    R"({"role":"tool","tool_call_id":"call_1","content":"r"})";

TEST(OpenAiMessages, CleansUpAnAssistantsTurn) {
    EXPECT_EQ(
        messages("openai", tool_loop),
        R"([{"role":"user","content":"q"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"call_1","content":"r"}])");
}

TEST(OpenAiMessages, DropsEmptyListsOfCalls) {
    EXPECT_EQ(
        messages("openai", R"({"role":"assistant","content":"a","tool_calls":[],"audio":null})"),
        R"([{"role":"assistant","content":"a"}])");
}

TEST(OpenAiMessages, LeavesCustomCallsAlone) {
    const std::string_view list =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sql","input":""}}]},{"role":"tool","tool_call_id":"c","content":"r"})";
    EXPECT_EQ(messages("openai", list), fmt::format("[{}]", list));
}

TEST(OpenAiMessages, GivesReasoningBackToThoseWhoWantIt) {
    EXPECT_NE(messages("deepseek", tool_loop).find(R"(}}],"reasoning_content":"hm"})"),
              std::string::npos);
    EXPECT_NE(messages("moonshot", tool_loop).find(R"(}}],"reasoning_content":"hm"})"),
              std::string::npos);
    EXPECT_NE(messages("vllm", tool_loop).find(R"("reasoning_content":"hm")"), std::string::npos);
    EXPECT_NE(messages("openrouter", tool_loop).find(R"(}}],"reasoning":"hm"})"),
              std::string::npos);
    EXPECT_EQ(messages("groq", tool_loop).find("hm"), std::string::npos);
}

TEST(OpenAiMessages, FillsTheGapWhereReasoningWasLost) {
    const std::string_view plain = R"({"role":"assistant","content":"a"})";
    EXPECT_EQ(messages("deepseek", plain),
              R"([{"role":"assistant","content":"a","reasoning_content":""}])");
    EXPECT_EQ(messages("moonshot", plain), fmt::format("[{}]", plain));
    const std::string_view calls =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]})";
    EXPECT_NE(messages("moonshot", calls).find(R"("reasoning_content":" ")"), std::string::npos);
}

chat::Request tool_loop_with_state(chat::ProviderState state) {
    auto request = openai_request(fmt::format(R"({{"model":"x","messages":[{}]}})", tool_loop));
    request.messages[1].for_each_call([&](chat::ToolCall& call) { call.state = state; });
    return request;
}

TEST(OpenAiMessages, PrefersTheReasoningThatWasKeptForThisModel) {
    const auto kept = tool_loop_with_state({"deepseek/m", "\"kept\""});
    EXPECT_TRUE(body_for("deepseek", kept).json.contains(R"("reasoning_content":"kept")"));
    const auto others = tool_loop_with_state({"deepseek/other", "\"theirs\""});
    EXPECT_TRUE(body_for("deepseek", others).json.contains(R"("reasoning_content":"hm")"));
}

TEST(OpenAiMessages, GivesOpenRouterItsDetailsBack) {
    const std::string details = R"([{"type":"reasoning.encrypted","data":"zz"}])";
    const std::string member = R"("reasoning_details":)" + details;
    EXPECT_TRUE(body_for("openrouter", tool_loop_with_state({"openrouter/m", details}))
                    .json.contains(member));
    EXPECT_TRUE(
        messages("openrouter", fmt::format(R"({{"role":"assistant","content":"a",{}}})", member))
            .contains(member));
}

// Google's server of OpenAI's format refuses the results of a call that has lost its signature.
TEST(OpenAiMessages, GivesBackWhatStoodBesideACall) {
    const std::string state = R"({"google":{"thought_signature":"s"}})";
    const std::string member = R"(,"extra_content":)" + state;
    const auto kept = tool_loop_with_state({"openai-compatible/m", state});
    EXPECT_TRUE(body_for("openai-compatible", kept).json.contains(member));
    EXPECT_FALSE(body_for("openai", kept).json.contains(member));
    const auto others = tool_loop_with_state({"openai-compatible/other", state});
    EXPECT_FALSE(body_for("openai-compatible", others).json.contains(member));
}

TEST(OpenAiMessages, GivesReasoningOnAsTheClientCarriesItWhereThatIsWanted) {
    const std::string_view list =
        R"({"role":"assistant","content":"a","reasoning":"hm",)"
        R"("thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"s"}]})";
    EXPECT_EQ(messages("vllm", list), fmt::format("[{}]", list));
    EXPECT_EQ(messages("openai", list), R"([{"role":"assistant","content":"a"}])");
}

TEST(OpenAiMessages, GivesMistralIdsOfNineCharactersThatStillMatch) {
    const std::string id = nine_character_id("call_1");
    EXPECT_EQ(
        messages("mistral", tool_loop),
        fmt::format(
            R"([{{"role":"user","content":"q"}},)"
            R"({{"role":"assistant","content":null,"tool_calls":[{{"id":"{0}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},)"
            R"({{"role":"tool","tool_call_id":"{0}","content":"r"}}])",
            id));
    EXPECT_EQ(id.size(), 9);
    EXPECT_NE(id, nine_character_id("call_2"));
    EXPECT_EQ(nine_character_id("g6fVbXS8K"), "g6fVbXS8K");
}

TEST(OpenAiMessages, LetsTheAssistantSpeakBetweenToolAndUserForMistral) {
    const std::string list = fmt::format(R"({},{{"role":"user","content":"and?"}})", tool_loop);
    EXPECT_NE(
        messages("mistral", list)
            .find(
                R"("content":"r"},{"role":"assistant","content":"OK"},{"role":"user","content":"and?"}])"),
        std::string::npos);
    EXPECT_EQ(messages("openai", list).find(R"("OK")"), std::string::npos);
}

TEST(OpenAiMessages, CallsAFileADocumentForMistral) {
    const std::string_view user =
        R"({"role":"user","content":[{"type":"text","text":"q"},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,eA=="}},{"type":"file","file":{"file_id":"f1"}}]})";
    EXPECT_EQ(
        messages("mistral", user),
        R"([{"role":"user","content":[{"type":"text","text":"q"},{"type":"document_url","document_url":"data:application/pdf;base64,eA==","document_name":"a.pdf"},{"type":"file","file_id":"f1"}]}])");
    EXPECT_EQ(messages("openai", user), fmt::format("[{}]", user));
}

// OpenAI, Mistral and DeepSeek refuse a conversation in which a call has no result.
TEST(OpenAiMessages, FillsTheGapWhereACallHasNoResult) {
    const std::string_view calls =
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]})";
    const std::string_view result = R"({"role":"tool","tool_call_id":"b","content":"r"})";
    const std::string_view missing =
        R"({"role":"tool","tool_call_id":"a","content":"No result was returned."})";
    const std::string_view user = R"({"role":"user","content":"q"})";
    EXPECT_EQ(messages("openai", fmt::format("{},{},{}", calls, result, user)),
              fmt::format("[{},{},{},{}]", calls, result, missing, user));
    EXPECT_EQ(messages("openai", fmt::format("{},{}", calls, result)),
              fmt::format("[{},{},{}]", calls, result, missing));
    const std::string both = messages("mistral", fmt::format("{},{}", calls, user));
    EXPECT_TRUE(both.contains(R"(returned."},{"role":"assistant","content":"OK"},{"role":"user")"))
        << both;
}

TEST(OpenAiMessages, MarksAPrefillForMistral) {
    EXPECT_EQ(
        messages("mistral", R"({"role":"user","content":"q"},{"role":"assistant","content":"A:"})"),
        R"([{"role":"user","content":"q"},{"role":"assistant","content":"A:","prefix":true}])");
}

TEST(OpenAiMessages, WritesMessagesThatNoClientWrote) {
    chat::Request request;
    request.messages = {said(chat::Role::developer, "Hi"),
                        said(chat::Role::assistant, {{chat::ToolCall{.id = "a", .name = "f"}}}),
                        result("a", "r")};
    EXPECT_EQ(
        messages_in(body_for("xai", request).json),
        R"([{"role":"system","content":"Hi"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"a","content":"r"}])");
}

// Requests that came in through other APIs.

chat::Request of_api(chat::Api api, std::vector<chat::Message> messages) {
    chat::Request request;
    request.api = api;
    request.messages = std::move(messages);
    for (std::size_t i = 0; i < request.messages.size(); ++i) request.messages[i].number = i + 1;
    return request;
}

std::string messages_of(chat::Api api, std::string_view kind, std::vector<chat::Message> messages,
                        std::string_view model = "m") {
    return messages_in(body_for(kind, of_api(api, std::move(messages)), model).json, model);
}

chat::Message called(chat::ToolCall call) { return said(chat::Role::assistant, {{call}}); }

TEST(OpenAiOtherApis, KeepCacheMarksWhereTheyAreKnown) {
    const std::vector<chat::Message> system{
        said(chat::Role::system, {text("a"), testing::marked(text("b"), "1h")})};
    EXPECT_EQ(
        messages_of(chat::Api::messages, "openai", system),
        R"([{"role":"system","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
    EXPECT_EQ(messages_of(chat::Api::messages, "openrouter", system),
              R"([{"role":"system","content":[{"type":"text","text":"a"},)"
              R"({"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}])");
    EXPECT_EQ(messages_of(chat::Api::messages, "deepseek", system),
              R"([{"role":"system","content":"a\nb"}])");
}

TEST(OpenAiOtherApis, SayAPlainDocumentInWords) {
    chat::File document{.text_escaped = "words", .filename_escaped = "a.txt"};
    EXPECT_EQ(messages_of(chat::Api::messages, "openai", {said(chat::Role::user, {{document}})}),
              R"([{"role":"user","content":"a.txt\n\nwords"}])");
}

TEST(OpenAiOtherApis, GiveFilesANameAndSoundsAFormat) {
    const chat::File pdf{
        .source = {.data_escaped = "eA==", .media_type_escaped = "application/pdf"}};
    const chat::Audio sound{
        .source = {.data_escaped = "eQ==", .media_type_escaped = R"(audio\/mpeg)"}};
    EXPECT_EQ(
        messages_of(chat::Api::gemini, "openai", {said(chat::Role::user, {{pdf}, {sound}})}),
        R"([{"role":"user","content":[)"
        R"({"type":"file","file":{"filename":"document","file_data":"data:application/pdf;base64,eA=="}},)"
        R"({"type":"input_audio","input_audio":{"data":"eQ==","format":"mp3"}}]}])");
}

TEST(OpenAiOtherApis, GiveReasoningToThoseWhoWantIt) {
    const chat::Reasoning thought{
        .text_escaped = "hm", .signature_escaped = "sig", .issuer = "anthropic/claude-sonnet-4-5"};
    const chat::Reasoning hidden{.encrypted_escaped = "zz", .issuer = "anthropic"};
    const std::vector<chat::Message> turn{
        said(chat::Role::assistant, {{thought}, {hidden}, text("a")})};
    const auto written = [&](std::string_view kind, std::string_view model) {
        return messages_of(chat::Api::messages, kind, turn, model);
    };
    EXPECT_EQ(written("openai", "m"), R"([{"role":"assistant","content":"a"}])");
    EXPECT_EQ(written("vllm", "m"),
              R"([{"role":"assistant","content":"a","reasoning_content":"hm"}])");
    EXPECT_EQ(written("deepseek", "m"),
              R"([{"role":"assistant","content":"a","reasoning_content":"hm"}])");
    EXPECT_EQ(written("openrouter", "openai/gpt-5"),
              R"([{"role":"assistant","content":"a","reasoning":"hm"}])");
    EXPECT_EQ(
        written("openrouter", "anthropic/claude-sonnet-4.5"),
        R"([{"role":"assistant","content":"a","reasoning_details":[)"
        R"({"type":"reasoning.text","text":"hm","signature":"sig","format":"anthropic-claude-v1"},)"
        R"({"type":"reasoning.encrypted","data":"zz","format":"anthropic-claude-v1"}]}])");
}

TEST(OpenAiOtherApis, WriteArgumentsThatCameAsJson) {
    const auto arguments = [](std::string_view raw) {
        const std::string list =
            messages_of(chat::Api::messages, "openai",
                        {called({.id = "a", .name = "f", .arguments_raw = raw}), result("a", "r")});
        const std::size_t begin = list.find(R"("arguments":)") + 12;
        return list.substr(begin, list.find("}}]") - begin);
    };
    EXPECT_EQ(arguments(R"({"a": "\n"})"), R"("{\"a\": \"\\n\"}")");
    EXPECT_EQ(arguments("null"), R"("{}")");
}

TEST(OpenAiOtherApis, TellOfFailedCallsInWords) {
    const auto call = called({.id = "a", .name = "f"});
    chat::Message failed = result("a", "no such file");
    failed.failed = chat::Wish::yes;
    EXPECT_TRUE(messages_of(chat::Api::messages, "openai", {call, failed})
                    .contains(R"("content":"Error: no such file")"));
    failed.parts.clear();
    EXPECT_TRUE(messages_of(chat::Api::messages, "openai", {call, failed})
                    .contains(R"("content":"Error: ")"));
}

TEST(OpenAiOtherApis, ShowPicturesOfResultsInAMessageOfTheUsers) {
    const auto calls = said(chat::Role::assistant, {{chat::ToolCall{.id = "a", .name = "f"}},
                                                    {chat::ToolCall{.id = "b", .name = "f"}},
                                                    {chat::ToolCall{.id = "c", .name = "f"}}});
    chat::Message picture = result("a", "see");
    picture.parts.push_back(testing::image("data:image/png;base64,AA=="));
    chat::Message only_picture = picture;
    only_picture.parts.erase(only_picture.parts.begin());
    only_picture.tool_call_id = "b";
    const std::string list =
        messages_of(chat::Api::messages, "mistral", {calls, picture, only_picture});
    const std::string image =
        R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}})";
    const std::string end = fmt::format(
        R"("content":"see"}},)"
        R"({{"role":"tool","tool_call_id":"{}","content":"The result follows in a message of its own."}},)"
        R"({{"role":"tool","tool_call_id":"{}","content":"No result was returned."}},)"
        R"({{"role":"assistant","content":"OK"}},)"
        R"({{"role":"user","content":[{{"type":"text","text":"From the result of the call {}:"}},{},)"
        R"({{"type":"text","text":"From the result of the call {}:"}},{}]}}])",
        nine_character_id("b"), nine_character_id("c"), nine_character_id("a"), image,
        nine_character_id("b"), image);
    EXPECT_TRUE(list.ends_with(end)) << list;
}

TEST(OpenAiOtherApis, KeepTheirExtrasToThemselves) {
    chat::Message message =
        said(chat::Role::user, {text("a"), {chat::Other{"search_result", R"({"x":1})"}}});
    message.extras = {{"x", "1"}};
    message.parts[0].extras = {{"citations", "[1]"}};
    chat::Request request = of_api(chat::Api::messages, {message});
    request.extras = {{"container", "\"c\""}};
    request.service_tier = "standard_only";
    const OpenAiBody out = body_for("openai", request);
    EXPECT_EQ(out.json, R"({"model":"m","messages":[{"role":"user","content":"a"}]})");
    EXPECT_EQ(out.warnings, std::vector<std::string>{"dropped_content_part"});
}

TEST(OpenAiOtherApis, AreToldWhatCannotBeSaid) {
    const std::vector<std::pair<chat::Api, chat::Part>> cases{
        {chat::Api::responses, {chat::Image{.source = {.file_id_escaped = "f"}}}},
        {chat::Api::gemini, {chat::Audio{.source = {.url_escaped = "gs://a/b"}}}},
        {chat::Api::messages, {chat::File{.source = {.file_id_escaped = "f"}}}},
    };
    for (const auto& [api, part] : cases) {
        const auto refused =
            write_openai_body(*find_preset("openai"), "openai",
                              of_api(api, {said(chat::Role::user, {text("see"), part})}), "m");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::unsupported_parameter);
        EXPECT_EQ(refused.error().param, "messages[0].content[1]");
    }
}

TEST(OpenAiOtherApis, AskForReasoningByTheirBudget) {
    chat::Request request = of_api(chat::Api::messages, {said(chat::Role::user, "Hi")});
    request.reasoning.budget_tokens = 4000;
    request.extras = {{"thinking", R"({"type":"enabled","budget_tokens":4000})"}};
    const std::string json = body_for("openai-compatible", request).json;
    EXPECT_TRUE(json.ends_with(R"(,"reasoning_effort":"medium"})")) << json;
}

}  // namespace
}  // namespace runnel::provider
