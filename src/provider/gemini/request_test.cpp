#include "provider/gemini/request.hpp"

#include "provider/gemini/contents.hpp"
#include "provider/registry.hpp"
#include "support/chat_requests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {
namespace {

using namespace runnel::testing;
using chat::Effort;
using chat::ToolChoice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view flash_2_5 = "gemini-2.5-flash";
constexpr std::string_view pro_3 = "gemini-3-pro-preview";

Request conversation(std::vector<Message> messages) {
    Request request = asking(std::move(messages));
    request.max_tokens.reset();
    return request;
}

Request greeting() { return conversation({said(Role::user, "Hi")}); }

Body written(const Request& request, std::string_view model = flash_2_5) {
    auto body = write_body(request, model);
    if (body) return *body;
    return {"failed: " + body.error().message, {}};
}

std::string contents_of(const Request& request, std::string_view model = flash_2_5) {
    const std::string body = written(request, model).text;
    constexpr std::string_view key = R"("contents":)";
    const std::size_t at = body.find(key);
    const std::size_t end = std::min(body.find(R"(,"tools":)"), body.size() - 1);
    return at == std::string::npos ? body : body.substr(at + key.size(), end - at - key.size());
}

std::string config_of(const Request& request, std::string_view model = flash_2_5) {
    const std::string body = written(request, model).text;
    constexpr std::string_view key = R"("generationConfig":)";
    const std::size_t at = body.find(key);
    return at == std::string::npos
               ? ""
               : body.substr(at + key.size(), body.size() - at - key.size() - 1);
}

chat::Number number(std::string_view raw) { return {raw, std::stod(std::string(raw))}; }

TEST(GeminiRequest, AsksInTheFewestWords) {
    EXPECT_EQ(written(greeting()).text,
              R"({"contents":[{"role":"user","parts":[{"text":"Hi"}]}]})");
    EXPECT_THAT(written(greeting()).warnings, IsEmpty());
}

TEST(GeminiRequest, GoesToTheModelsOwnAddress) {
    struct Case {
        std::string_view base_url;
        std::string_view model;
        chat::Streaming streaming;
        std::string_view origin;
        std::string_view path;
    };
    using enum chat::Streaming;
    constexpr Case cases[] = {
        {"", "gemini-2.5-flash", yes, "https://generativelanguage.googleapis.com",
         "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"},
        {"", "gemini-2.5-flash", no, "https://generativelanguage.googleapis.com",
         "/v1beta/models/gemini-2.5-flash:generateContent"},
        {"http://127.0.0.1:9001", "m", no, "http://127.0.0.1:9001",
         "/v1beta/models/m:generateContent"},
        {"http://127.0.0.1:9001/v1beta/", "m", no, "http://127.0.0.1:9001",
         "/v1beta/models/m:generateContent"},
        {"http://127.0.0.1:9001/v1", "models/m", no, "http://127.0.0.1:9001",
         "/v1/models/m:generateContent"},
        {"https://x.example/proxy", "tunedModels/mine", no, "https://x.example",
         "/proxy/v1beta/tunedModels/mine:generateContent"},
        {"https://aiplatform.googleapis.com/v1/publishers/google", "m", yes,
         "https://aiplatform.googleapis.com",
         "/v1/publishers/google/models/m:streamGenerateContent?alt=sse"},
        {"", "../files?key=x", no, "https://generativelanguage.googleapis.com",
         "/v1beta/models/..%2Ffiles%3Fkey%3Dx:generateContent"},
    };
    for (const Case& c : cases) {
        const auto provider =
            make_gemini({.name = "google", .kind = "gemini", .base_url = std::string(c.base_url)});
        Request request = greeting();
        request.streaming = c.streaming;
        const auto out = provider->write_request(request, c.model);
        ASSERT_TRUE(out.has_value());
        EXPECT_EQ(provider->origin(), c.origin);
        EXPECT_EQ(out->path, c.path);
    }
}

TEST(GeminiRequest, HasTheConfiguredHeadersLast) {
    const auto provider = make_gemini(
        {.name = "google", .kind = "gemini", .base_url = "", .headers = {{"Accept", "x"}}});
    const auto out = provider->write_request(greeting(), flash_2_5);
    ASSERT_TRUE(out.has_value());
    std::vector<std::string> headers;
    for (const Header& header : out->headers) headers.push_back(header.name + ": " + header.value);
    EXPECT_THAT(headers, ElementsAre("content-type: application/json", "accept-encoding: identity",
                                     "Accept: x"));
}

TEST(GeminiRequest, LiftsTheSystemTextOut) {
    const Request request =
        conversation({said(Role::system, "Be brief."), said(Role::developer, "Be kind."),
                      said(Role::user, "Hi"), said(Role::system, "Now shout.")});
    EXPECT_EQ(written(request).text,
              R"({"systemInstruction":{"parts":[{"text":"Be brief."},{"text":"Be kind."}]},)"
              R"("contents":[{"role":"user","parts":[{"text":"Hi"},{"text":"Now shout."}]}]})");
    // Gemma has no place for it, and a conversation needs at least one turn.
    EXPECT_EQ(written(conversation({said(Role::system, "Be brief."), said(Role::user, "Hi")}),
                      "gemma-3-27b-it")
                  .text,
              R"({"contents":[{"role":"user","parts":[{"text":"Be brief."},{"text":"Hi"}]}]})");
    EXPECT_EQ(written(conversation({said(Role::system, "Be brief.")})).text,
              R"({"contents":[{"role":"user","parts":[{"text":"Be brief."}]}]})");
}

TEST(GeminiRequest, AlternatesTurnsAndEndsWithTheUsers) {
    const Request request = conversation({said(Role::user, "a"), said(Role::user, "b"),
                                          said(Role::assistant, "c"), said(Role::assistant, ""),
                                          said(Role::user, "d"), said(Role::assistant, "Sure, ")});
    EXPECT_EQ(
        contents_of(request),
        R"([{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"model","parts":[{"text":"c"}]},{"role":"user","parts":[{"text":"d"}]}])");
    EXPECT_THAT(written(request).warnings, ElementsAre("dropped_assistant_prefill"));
}

TEST(GeminiRequest, SendsWhatIsSeenAndHeard) {
    struct Case {
        Part part;
        std::string_view expected;
    };
    const Case cases[] = {
        {image(R"(data:image\/png;base64,iVBO\/w==)"),
         R"({"inlineData":{"mimeType":"image/png","data":"iVBO\/w=="}})"},
        {image("https://a.example/b.JPG?x=1"),
         R"({"fileData":{"mimeType":"image/jpeg","fileUri":"https://a.example/b.JPG?x=1"}})"},
        {image("https://youtu.be/x"), R"({"fileData":{"fileUri":"https://youtu.be/x"}})"},
        {{chat::Audio{.source = {.data_escaped = "UklG"}, .format_escaped = "wav"}},
         R"({"inlineData":{"mimeType":"audio/wav","data":"UklG"}})"},
        {{chat::Audio{.source = {.data_escaped = "UklG", .media_type_escaped = "audio/ogg"}}},
         R"({"inlineData":{"mimeType":"audio/ogg","data":"UklG"}})"},
        {{chat::Video{.source = {.media_type_escaped = "video/mp4", .url_escaped = "gs://a/b"}}},
         R"({"fileData":{"mimeType":"video/mp4","fileUri":"gs://a/b"}})"},
        {{chat::File{.source = chat::source_of_url("data:application/pdf;base64,JVBE")}},
         R"({"inlineData":{"mimeType":"application/pdf","data":"JVBE"}})"},
        {{chat::File{.source = {.data_escaped = "JVBE"}}},
         R"({"inlineData":{"mimeType":"application/pdf","data":"JVBE"}})"},
        {{chat::File{.text_escaped = "Two", .filename_escaped = "One"}},
         R"({"text":"One\n\nTwo"})"},
        {{chat::File{.source = {.data_escaped = "JVBE"}, .filename_escaped = "a.csv"}},
         R"({"inlineData":{"mimeType":"text/csv","data":"JVBE"}})"},
        {{chat::File{.source = {.file_id_escaped =
                                    "https://generativelanguage.googleapis.com/v1beta/files/x"}}},
         R"({"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x"}})"},
    };
    for (const Case& c : cases)
        EXPECT_EQ(contents_of(conversation({said(Role::user, {c.part})})),
                  fmt::format(R"([{{"role":"user","parts":[{}]}}])", c.expected));
}

// One message that calls two tools, signed on the first call as `owner` told it.
Message signed_calls(std::string owner) {
    Message message = called({{"call_8hd01vsf", R"({\"a\": 1})"}, {"call_k0srpqrc", ""}});
    message.parts[0].as<chat::ToolCall>()->state = {std::move(owner),
                                                    R"({"thoughtSignature":"c2ln/w=="})"};
    return message;
}

TEST(GeminiRequest, GivesCallsBackWithTheirIdsSignaturesAndOrderedResults) {
    const Request request =
        conversation({said(Role::user, "go"), signed_calls("gemini/gemini-3-pro-preview"),
                      result("call_k0srpqrc", "two"), said(Role::user, "and?"),
                      result("call_8hd01vsf", R"({\"ok\":1})")});
    EXPECT_EQ(
        contents_of(request, pro_3),
        R"([{"role":"user","parts":[{"text":"go"}]},)"
        R"({"role":"model","parts":[{"functionCall":{"id":"8hd01vsf","name":"find","args":{"a":1}},"thoughtSignature":"c2ln/w=="},)"
        R"({"functionCall":{"id":"k0srpqrc","name":"find","args":{}}}]},)"
        R"({"role":"user","parts":[{"functionResponse":{"id":"8hd01vsf","name":"find","response":{"output":"{\"ok\":1}"}}},)"
        R"({"functionResponse":{"id":"k0srpqrc","name":"find","response":{"output":"two"}}}]},)"
        R"({"role":"user","parts":[{"text":"and?"}]}])");
}

TEST(GeminiRequest, SendsOlderModelsNeitherIdsNorForeignSignatures) {
    const Request request =
        conversation({said(Role::user, "go"), signed_calls("gemini/gemini-3-pro-preview"),
                      result("call_8hd01vsf", "one"), result("call_k0srpqrc", "two")});
    const std::string contents = contents_of(request, flash_2_5);
    EXPECT_THAT(contents, Not(HasSubstr("id\"")));
    EXPECT_THAT(contents, Not(HasSubstr("thoughtSignature")));
}

TEST(GeminiRequest, StandsInForASignatureThatIsForeignOrLost) {
    for (const std::string_view owner : {"anthropic/claude", "gemini/gemini-3-flash-preview", ""}) {
        const Request request =
            conversation({said(Role::user, "go"), signed_calls(std::string(owner)),
                          result("call_8hd01vsf", "one"), result("call_k0srpqrc", "two")});
        EXPECT_THAT(
            contents_of(request, pro_3),
            HasSubstr(
                R"("args":{"a":1}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"k0srpqrc","name":"find","args":{}}}])"));
    }
}

TEST(GeminiRequest, TakesASignatureThatTheClientBrings) {
    Message message = called({{"call_1", ""}});
    message.parts[0].as<chat::ToolCall>()->signature_escaped = "c2ln";
    const Request request =
        conversation({said(Role::user, "go"), message, result("call_1", "one")});
    EXPECT_THAT(contents_of(request, pro_3), HasSubstr(R"("thoughtSignature":"c2ln")"));
    EXPECT_THAT(contents_of(request, flash_2_5), HasSubstr(R"("thoughtSignature":"c2ln")"));
}

TEST(GeminiRequest, KnowsItsOwnCallIds) {
    EXPECT_EQ(native_call_id("call_8hd01vsf"), "8hd01vsf");
    EXPECT_EQ(native_call_id("call_call_3257537"), "call_3257537");
    EXPECT_EQ(native_call_id(IdSource(1).next("call_")), "");
    EXPECT_EQ(native_call_id("toolu_01A"), "");
}

TEST(GeminiRequest, FillsInResultsThatAreMissing) {
    const Request request =
        conversation({said(Role::user, "go"), called({{"call_1", "not json"}, {"call_2", ""}}),
                      result("call_2", "two")});
    const Body body = written(request);
    EXPECT_THAT(body.text, HasSubstr(R"("args":{"rawInvalidInput":"not json"})"));
    EXPECT_THAT(
        body.text,
        HasSubstr(
            R"([{"functionResponse":{"name":"find","response":{"error":"No result was returned."}}},{"functionResponse":{"name":"find","response":{"output":"two"}}}])"));
    EXPECT_THAT(body.warnings, ElementsAre("missing_tool_result"));
}

TEST(GeminiRequest, PutsWhatAToolShowsWhereTheModelLooksForIt) {
    Message shown = said(Role::tool, {text("see"), image("data:image/png;base64,iVBO")});
    shown.tool_call_id = "call_1";
    const Request request = conversation({said(Role::user, "go"), called({{"call_1", ""}}), shown});
    EXPECT_THAT(
        contents_of(request, pro_3),
        HasSubstr(
            R"("response":{"output":"see"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBO"}}]}}]})"));
    EXPECT_THAT(
        contents_of(request, flash_2_5),
        HasSubstr(
            R"("response":{"output":"see"}}},{"inlineData":{"mimeType":"image/png","data":"iVBO"}}]})"));
    // A document of plain text is text; the name of any other is not.
    shown.parts = {{chat::File{.text_escaped = "Two", .filename_escaped = "One"}},
                   {chat::File{.source = {.data_escaped = "JVBE"}, .filename_escaped = "a.pdf"}}};
    EXPECT_THAT(
        contents_of(conversation({said(Role::user, "go"), called({{"call_1", ""}}), shown})),
        HasSubstr(
            R"("response":{"output":"One\n\nTwo"}}},{"inlineData":{"mimeType":"application/pdf","data":"JVBE"}}]})"));
}

TEST(GeminiRequest, DeclaresToolsWithCleanSchemas) {
    Request request = greeting();
    request.tools = {
        tool(
            "find",
            R"({"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":false})"),
        tool("now")};
    request.tools[0].description_escaped = R"(Finds \"it\")";
    const Body body = written(request);
    EXPECT_THAT(
        body.text,
        HasSubstr(
            R"("tools":[{"functionDeclarations":[{"name":"find","description":"Finds \"it\"","parameters":{"type":"object","properties":{"q":{"type":"string"}}}},{"name":"now"}]}])"));
    EXPECT_THAT(body.text, Not(HasSubstr("toolConfig")));
    EXPECT_THAT(body.warnings, ElementsAre("schema_sanitized"));
}

TEST(GeminiRequest, KeepsASchemaThatContainsItselfWhole) {
    Request request = greeting();
    request.tools = {tool("walk", R"({"type":"object", "properties":{"next":{"$ref":"#"}}})")};
    EXPECT_THAT(
        written(request).text,
        HasSubstr(
            R"("parametersJsonSchema":{"type":"object","properties":{"next":{"$ref":"#"}}})"));
}

TEST(GeminiRequest, SaysWhichToolsMayBeCalled) {
    struct Case {
        ToolChoice choice;
        std::string_view expected;
    };
    using Kind = ToolChoice::Kind;
    const Case cases[] = {
        {{.kind = Kind::none}, R"({"mode":"NONE"})"},
        {{.kind = Kind::automatic}, R"({"mode":"AUTO"})"},
        {{.kind = Kind::required}, R"({"mode":"ANY"})"},
        {{.kind = Kind::named, .name = "find"},
         R"({"mode":"ANY","allowedFunctionNames":["find"]})"},
        {{.kind = Kind::allowed, .allowed = {"find", "now"}},
         R"({"mode":"VALIDATED","allowedFunctionNames":["find","now"]})"},
        {{.kind = Kind::allowed, .allowed = {"now"}, .allowed_mode = ToolChoice::Mode::required},
         R"({"mode":"ANY","allowedFunctionNames":["now"]})"},
    };
    for (const Case& c : cases) {
        Request request = greeting();
        request.tools = {tool("find"), tool("now")};
        request.tool_choice = c.choice;
        EXPECT_THAT(
            written(request).text,
            HasSubstr(fmt::format(R"("toolConfig":{{"functionCallingConfig":{}}})", c.expected)));
    }
}

TEST(GeminiRequest, KeepsOneCallWhereParallelCallsAreOff) {
    const auto provider = make_gemini({.name = "google", .kind = "gemini", .base_url = ""});
    Request request = greeting();
    request.tools = {tool("find")};
    EXPECT_EQ(provider->write_request(request, flash_2_5)->turn.tool_calls_max, 0);
    request.parallel_tool_calls = false;
    EXPECT_EQ(provider->write_request(request, flash_2_5)->turn.tool_calls_max, 1);
}

TEST(GeminiRequest, PassesSamplingOnDigitByDigit) {
    Request request = greeting();
    request.max_tokens = 100'000;
    request.sampling.temperature = number("0.70");
    request.sampling.top_p = number("0.9");
    request.sampling.top_k = number("40");
    request.sampling.seed = number("7");
    request.sampling.presence_penalty = number("0.5");
    request.sampling.frequency_penalty = number("0");
    request.sampling.stop = {"a", "\n"};
    EXPECT_EQ(
        config_of(request),
        R"({"maxOutputTokens":100000,"temperature":0.70,"topP":0.9,"topK":40,"seed":7,"presencePenalty":0.5,"stopSequences":["a","\n"]})");
    EXPECT_THAT(written(request).warnings, IsEmpty());
    request.sampling.seed = number("9007199254740993");
    request.sampling.stop = {"1", "2", "3", "4", "5", "6"};
    EXPECT_EQ(
        config_of(request, pro_3),
        R"({"maxOutputTokens":100000,"temperature":0.70,"topP":0.9,"topK":40,"stopSequences":["1","2","3","4","5"]})");
    EXPECT_THAT(written(request, pro_3).warnings,
                ElementsAre("dropped_seed", "dropped_presence_penalty", "dropped_stop"));
}

TEST(GeminiRequest, AsksForImagesWhereTheClientDoes) {
    Request request = greeting();
    request.extras = {{"modalities", R"(["image","text"])"}};
    EXPECT_THAT(config_of(request), HasSubstr(R"("responseModalities":["TEXT","IMAGE"])"));
    request.extras = {{"modalities", R"(["text"])"}};
    EXPECT_THAT(config_of(request), Not(HasSubstr("responseModalities")));
}

TEST(GeminiRequest, AsksForJson) {
    Request request = greeting();
    request.output.kind = chat::OutputFormat::Kind::json_object;
    EXPECT_EQ(config_of(request), R"({"responseMimeType":"application/json"})");
    request.output.kind = chat::OutputFormat::Kind::json_schema;
    request.output.schema_raw =
        R"({"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}},"additionalProperties":false})";
    EXPECT_EQ(
        config_of(request),
        R"({"responseMimeType":"application/json","responseSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}},"propertyOrdering":["b","a"]}})");
    request.output.schema_raw = R"({"type":"object","properties":{"next":{"$ref":"#"}}})";
    EXPECT_EQ(
        config_of(request),
        R"({"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"next":{"$ref":"#"}}}})");
}

TEST(GeminiRequest, AsksForJsonInWordsWhereToolsForbidTheMode) {
    Request request = greeting();
    request.tools = {tool("find")};
    request.output.kind = chat::OutputFormat::Kind::json_schema;
    request.output.schema_raw = R"({"type": "object"})";
    EXPECT_THAT(config_of(request, pro_3), HasSubstr("responseMimeType"));
    const Body body = written(request);
    EXPECT_THAT(body.text, Not(HasSubstr("responseMimeType")));
    EXPECT_THAT(body.text,
                HasSubstr(R"(It must match this JSON Schema: {\"type\":\"object\"}"}]})"));
    EXPECT_THAT(body.warnings, ElementsAre("response_format_by_instruction"));
}

TEST(GeminiRequest, MapsReasoningEffort) {
    struct Case {
        std::string_view model;
        Effort effort;
        std::string_view expected;
    };
    constexpr Case cases[] = {
        {"gemini-2.5-flash", Effort::none, R"({"thinkingBudget":0})"},
        {"gemini-2.5-pro", Effort::none, R"({"thinkingBudget":128})"},
        {"gemini-2.5-flash", Effort::minimal, R"({"includeThoughts":true,"thinkingBudget":1})"},
        {"gemini-2.5-flash-lite", Effort::minimal,
         R"({"includeThoughts":true,"thinkingBudget":512})"},
        {"models/gemini-2.5-pro", Effort::low, R"({"includeThoughts":true,"thinkingBudget":1024})"},
        {"gemini-2.5-flash", Effort::medium, R"({"includeThoughts":true,"thinkingBudget":2048})"},
        {"gemini-2.5-flash", Effort::high, R"({"includeThoughts":true,"thinkingBudget":4096})"},
        {"gemini-2.5-flash", Effort::max, R"({"includeThoughts":true,"thinkingBudget":24576})"},
        {"gemini-2.5-pro", Effort::xhigh, R"({"includeThoughts":true,"thinkingBudget":32768})"},
        {"gemini-3-flash-preview", Effort::none, R"({"thinkingLevel":"minimal"})"},
        {"gemini-3-pro-preview", Effort::none, R"({"thinkingLevel":"low"})"},
        {"gemini-3.1-pro-preview", Effort::minimal,
         R"({"includeThoughts":true,"thinkingLevel":"low"})"},
        {"gemini-3.7-flash", Effort::minimal, R"({"includeThoughts":true,"thinkingLevel":"low"})"},
        {"gemini-3-flash-preview", Effort::medium,
         R"({"includeThoughts":true,"thinkingLevel":"medium"})"},
        {"gemini-3-pro-preview", Effort::medium,
         R"({"includeThoughts":true,"thinkingLevel":"high"})"},
        {"gemini-3.1-pro-preview", Effort::medium,
         R"({"includeThoughts":true,"thinkingLevel":"medium"})"},
        {"gemini-flash-latest", Effort::xhigh,
         R"({"includeThoughts":true,"thinkingLevel":"high"})"},
    };
    for (const Case& c : cases) {
        Request request = greeting();
        request.reasoning.effort = c.effort;
        EXPECT_EQ(config_of(request, c.model),
                  fmt::format(R"({{"thinkingConfig":{}}})", c.expected))
            << c.model;
    }
}

TEST(GeminiRequest, LeavesRoomForTheAnswer) {
    struct Case {
        std::string_view model;
        std::optional<Effort> effort;
        std::int64_t max_tokens;
        std::string_view expected;  // of thinkingConfig; empty: none
    };
    constexpr Case cases[] = {
        {"gemini-2.5-flash", Effort::high, 1000,
         R"({"includeThoughts":true,"thinkingBudget":500})"},
        {"gemini-2.5-flash", std::nullopt, 1000, R"({"thinkingBudget":500})"},
        {"gemini-2.5-pro", std::nullopt, 100, R"({"thinkingBudget":128})"},
        {"gemini-2.5-flash-lite", Effort::low, 600, R"({"thinkingBudget":0})"},
        {"gemini-2.5-flash-lite", std::nullopt, 600, ""},
        {"gemini-2.5-flash", std::nullopt, 20'000, ""},
        {"gemini-3-pro-preview", Effort::high, 1000,
         R"({"includeThoughts":true,"thinkingLevel":"low"})"},
        {"gemini-3-flash-preview", std::nullopt, 500, R"({"thinkingLevel":"minimal"})"},
        {"gemini-3-flash-preview", std::nullopt, 8000, R"({"thinkingLevel":"medium"})"},
        {"gemini-3-flash-preview", std::nullopt, 20'000, ""},
        {"gemini-2.0-flash", std::nullopt, 100, ""},
    };
    for (const Case& c : cases) {
        Request request = greeting();
        request.max_tokens = c.max_tokens;
        request.reasoning.effort = c.effort;
        const std::string thinking =
            c.expected.empty() ? "" : fmt::format(R"(,"thinkingConfig":{})", c.expected);
        EXPECT_EQ(config_of(request, c.model),
                  fmt::format(R"({{"maxOutputTokens":{}{}}})", c.max_tokens, thinking))
            << c.model;
    }
}

TEST(GeminiRequest, HidesThoughtsThatNobodyWants) {
    Request request = greeting();
    request.reasoning.budget_tokens = 3000;
    request.reasoning.show = chat::ReasoningWish::Show::no;
    EXPECT_EQ(config_of(request), R"({"thinkingConfig":{"thinkingBudget":3000}})");
    request.reasoning = {.effort = Effort::high};
    EXPECT_EQ(config_of(request, "gemini-2.0-flash"), "");
    EXPECT_THAT(written(request, "gemini-2.0-flash").warnings,
                ElementsAre("dropped_reasoning_effort"));
}

TEST(GeminiRequest, PassesItsOwnFieldsOnAndNoOthers) {
    Request request = greeting();
    request.extras = {{"safety_settings", R"([{"category":"x"}])"},
                      {"cachedContent", R"("cachedContents/x")"},
                      {"frobnicate", "1"}};
    request.sampling.logit_bias_raw = R"({"1":2})";
    const Body body = written(request);
    EXPECT_THAT(
        body.text,
        HasSubstr(R"("safetySettings":[{"category":"x"}],"cachedContent":"cachedContents/x"})"));
    EXPECT_THAT(body.text, Not(HasSubstr("frobnicate")));
    EXPECT_THAT(body.warnings, ElementsAre("dropped_logit_bias"));
}

TEST(GeminiRequest, PassesOnWhatOnlyItsOwnApiSays) {
    Part signed_end = text("");
    signed_end.extras = {{"thoughtSignature", R"("c2ln")"}};
    Part clip{chat::Video{.source = chat::source_of_url("data:video/mp4;base64,AAAA")}};
    clip.extras = {{"videoMetadata", R"({"fps":2})"}};
    const Part thought{
        chat::Reasoning{.text_escaped = "hm", .signature_escaped = "dGg", .issuer = "gemini"}};
    const Part code{chat::Other{"executableCode", R"({"executableCode":{"code":"1"}})"}};
    Request request = conversation(
        {said(Role::user, {clip}), said(Role::assistant, {thought, code, text("One."), signed_end}),
         said(Role::user, "b")});
    request.tools = {tool("find"), {}};
    request.tools[0].extras = {{"behavior", R"("BLOCKING")"}};
    request.tools[1].kind = chat::Tool::Kind::provider;
    request.tools[1].type = "googleSearch";
    request.tools[1].raw = R"({"googleSearch":{}})";
    request.extras = {{"labels", R"({"a":"b"})"}, {"speechConfig", "{}"}};
    request.api = chat::Api::gemini;
    EXPECT_EQ(
        written(request).text,
        R"({"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"video/mp4","data":"AAAA"},"videoMetadata":{"fps":2}}]},)"
        R"({"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"dGg"},)"
        R"({"executableCode":{"code":"1"}},{"text":"One."},{"text":"","thoughtSignature":"c2ln"}]},)"
        R"({"role":"user","parts":[{"text":"b"}]}],)"
        R"("tools":[{"functionDeclarations":[{"name":"find","behavior":"BLOCKING"}]},{"googleSearch":{}}],)"
        R"("generationConfig":{"speechConfig":{}},"labels":{"a":"b"}})");
    EXPECT_THAT(written(request).warnings, IsEmpty());

    // Another API's own words are nothing to Gemini.
    request.messages[1].parts.erase(request.messages[1].parts.begin() + 1);
    request.api = chat::Api::messages;
    EXPECT_EQ(
        written(request).text,
        R"({"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"video/mp4","data":"AAAA"}}]},)"
        R"({"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"dGg"},{"text":"One."}]},)"
        R"({"role":"user","parts":[{"text":"b"}]}],"tools":[{"functionDeclarations":[{"name":"find"}]}]})");
    EXPECT_THAT(written(request).warnings, ElementsAre("dropped_tool_googleSearch"));
}

TEST(GeminiRequest, KeepsAnothersThoughtsToItself) {
    const Request request = conversation(
        {said(Role::user, "a"),
         said(Role::assistant, {{chat::Reasoning{.text_escaped = "hm", .signature_escaped = "S"}},
                                {chat::Reasoning{.text_escaped = "hm", .issuer = "gemini"}},
                                text("One.")}),
         said(Role::user, "b")});
    EXPECT_THAT(contents_of(request), HasSubstr(R"({"role":"model","parts":[{"text":"One."}]})"));
}

TEST(GeminiRequest, LeavesTheModelsPartsInTheirOrderAndSaysWhichCallsFailed) {
    Message answer = called({{"call_a", ""}, {"call_b", ""}});
    answer.parts.insert(answer.parts.begin() + 1, text("And:"));
    Request request = conversation(
        {said(Role::user, "go"), answer, result("call_a", "no"), result("call_b", "two")});
    request.messages[2].failed = chat::Wish::yes;
    EXPECT_EQ(
        contents_of(request),
        R"([{"role":"user","parts":[{"text":"go"}]},)"
        R"({"role":"model","parts":[{"functionCall":{"name":"find","args":{}}},{"text":"And:"},{"functionCall":{"name":"find","args":{}}}]},)"
        R"({"role":"user","parts":[{"functionResponse":{"name":"find","response":{"error":"no"}}},{"functionResponse":{"name":"find","response":{"output":"two"}}}]}])");
}

TEST(GeminiRequest, SaysSomethingWhereTheClientSaysNothing) {
    for (const std::string_view nothing : {"", " "})
        EXPECT_EQ(contents_of(conversation({said(Role::user, nothing)})),
                  R"([{"role":"user","parts":[{"text":" "}]}])");
    EXPECT_EQ(contents_of(conversation({said(Role::user, ""), said(Role::assistant, "Yes?")})),
              R"([{"role":"user","parts":[{"text":" "}]}])");
}

TEST(GeminiRequest, RefusesWhatWouldChangeTheAnswer) {
    struct Case {
        Request request;
        ErrorKind kind;
        std::string_view param;
    };
    std::vector<Case> cases;
    const auto refuses = [&](ErrorKind kind, std::string_view param) -> Request& {
        return cases.emplace_back(Case{greeting(), kind, param}).request;
    };
    refuses(ErrorKind::unsupported_parameter, "n").n = 2;
    refuses(ErrorKind::unsupported_parameter, "audio.format").extras = {
        {"modalities", R"(["text","audio"])"}, {"audio", R"({"voice":"Kore","format":"mp3"})"}};
    refuses(ErrorKind::unsupported_parameter, "tools[0]").tools = {
        {.kind = chat::Tool::Kind::custom, .name = "x"}};
    refuses(ErrorKind::tool_schema_invalid, "tools[0].function.parameters").tools = {
        tool("x", "{")};
    refuses(ErrorKind::invalid_value, "messages[0].content[0]").messages = {
        said(Role::user, {image("not a URL")})};
    refuses(ErrorKind::unsupported_parameter, "messages[0].content[0]").messages = {
        said(Role::user, {{chat::File{.source = {.file_id_escaped = "file-abc"}}}})};
    refuses(ErrorKind::unsupported_parameter, "messages[0].content[0]").messages = {
        said(Role::user, {{chat::Other{}}})};
    for (const Case& c : cases) {
        const auto body = write_body(c.request, flash_2_5);
        ASSERT_FALSE(body.has_value()) << c.param;
        EXPECT_EQ(body.error().kind, c.kind) << c.param;
        EXPECT_EQ(body.error().param, c.param);
    }
}

}  // namespace
}  // namespace runnel::provider::gemini
