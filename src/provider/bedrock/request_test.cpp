#include "provider/bedrock/request.hpp"

#include "provider/registry.hpp"
#include "support/chat_requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider::bedrock {
namespace {

using namespace runnel::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view nova = "us.amazon.nova-lite-v1:0";
constexpr std::string_view claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

std::string body_of(const Request& request, std::string_view model = nova) {
    auto body = write_converse_body(request, model, {});
    return body ? body->text : "failed: " + body.error().message;
}

std::vector<std::string> warnings_of(const Request& request, std::string_view model = nova) {
    auto body = write_converse_body(request, model, {});
    return body ? body->warnings : std::vector{body.error().message};
}

std::unique_ptr<Provider> bedrock(std::string_view api = {}) {
    ProviderConfig config{.name = "aws", .kind = "bedrock", .base_url = ""};
    config.cloud = {.region = "eu-west-1", .api = std::string(api)};
    config.headers = {{"anthropic-beta", "context-1m-2025-08-07"}};
    return std::move(*make_provider(config));
}

TEST(BedrockRequest, AsksInTheFewestWords) {
    EXPECT_EQ(body_of(hello()), R"({"inferenceConfig":{"maxTokens":100},)"
                                R"("messages":[{"role":"user","content":[{"text":"Hi"}]}]})");
}

TEST(BedrockRequest, GoesToTheModelsOwnPath) {
    Request request = hello();
    request.streaming = chat::Streaming::yes;
    const auto streamed = bedrock()->write_request(request, nova);
    ASSERT_TRUE(streamed);
    EXPECT_EQ(streamed->path, "/model/us.amazon.nova-lite-v1%3A0/converse-stream");
    EXPECT_EQ(bedrock()->write_request(hello(), nova)->path,
              "/model/us.amazon.nova-lite-v1%3A0/converse");
    EXPECT_EQ(bedrock()->origin(), "https://bedrock-runtime.eu-west-1.amazonaws.com");
    const std::string_view arn =
        "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc";
    EXPECT_EQ(bedrock()->write_request(hello(), arn)->path,
              "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3A"
              "application-inference-profile%2Fabc/converse");
}

TEST(BedrockRequest, AsksClaudeInItsOwnFormat) {
    Request request = hello();
    request.streaming = chat::Streaming::yes;
    const auto streamed = bedrock()->write_request(request, claude);
    ASSERT_TRUE(streamed);
    EXPECT_EQ(streamed->path, "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/"
                              "invoke-with-response-stream");
    EXPECT_EQ(streamed->body,
              R"({"anthropic_version":"bedrock-2023-05-31","max_tokens":100,)"
              R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],)"
              R"("anthropic_beta":["context-1m-2025-08-07"]})");
    for (const Header& header : streamed->headers) EXPECT_NE(header.name, "anthropic-beta");
    EXPECT_THAT(bedrock("converse")->write_request(request, claude)->path,
                HasSubstr("/converse-stream"));
    EXPECT_THAT(bedrock("invoke")->write_request(request, "arn:aws:bedrock:x")->path,
                HasSubstr("/invoke-with-response-stream"));
}

TEST(BedrockRequest, TellsAConversationByTurns) {
    Message reasoned = called({{"call_tooluse_1", R"({\"q\":1})"}, {"call_2", ""}});
    const Request request =
        asking({said(Role::system, "Be brief"), said(Role::user, "Hi"), said(Role::user, "there"),
                reasoned, result("call_2", "two"), result("call_tooluse_1", "one"),
                said(Role::system, "Now"), said(Role::user, "Go")});
    EXPECT_EQ(
        body_of(request),
        R"({"inferenceConfig":{"maxTokens":100},)"
        R"("toolConfig":{"tools":[{"toolSpec":{"name":"unavailable","description":"Not available.",)"
        R"("inputSchema":{"json":{"type":"object","properties":{}}}}}]},)"
        R"("system":[{"text":"Be brief"}],)"
        R"("messages":[{"role":"user","content":[{"text":"Hi"},{"text":"there"}]},)"
        R"({"role":"assistant","content":[)"
        R"({"toolUse":{"toolUseId":"tooluse_1","name":"find","input":{"q":1}}},)"
        R"({"toolUse":{"toolUseId":"call_2","name":"find","input":{}}}]},)"
        R"({"role":"user","content":[)"
        R"({"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"one"}]}},)"
        R"({"toolResult":{"toolUseId":"call_2","content":[{"text":"two"}]}},)"
        R"({"text":"<system-reminder>\nNow\n</system-reminder>"},{"text":"Go"}]}]})");
}

TEST(BedrockRequest, SaysThatAToolFailedOrSaidNothing) {
    Message failed = result("c1", "no");
    failed.failed = chat::Wish::yes;
    const std::string body =
        body_of(asking({said(Role::user, "Hi"), called({{"c1", ""}, {"c2", ""}, {"c3", ""}}),
                        failed, result("c2", " ")}));
    EXPECT_THAT(body,
                HasSubstr(R"({"toolUseId":"c1","content":[{"text":"no"}],"status":"error"})"));
    EXPECT_THAT(body, HasSubstr(R"({"toolUseId":"c2","content":[{"text":"."}]})"));
    EXPECT_THAT(body,
                HasSubstr(R"({"toolUseId":"c3","content":[{"text":"No result was returned."}]})"));
}

TEST(BedrockRequest, OffersToolsAndSaysHowToChoose) {
    Request request = hello();
    request.tools = {tool("find"), tool("get.it", R"({"properties":{}})")};
    request.tools[0].description_escaped = R"(Finds \"it\")";
    request.tool_choice.kind = chat::ToolChoice::Kind::required;
    EXPECT_THAT(
        body_of(request),
        HasSubstr(
            R"("toolConfig":{"tools":[{"toolSpec":{"name":"find","description":"Finds \"it\"",)"
            R"("inputSchema":{"json":{"type":"object"}}}},{"toolSpec":{"name":"get_it_ebd5c246",)"
            R"("inputSchema":{"json":{"type":"object","properties":{}}}}}],"toolChoice":{"any":{}}})"));
    request.tool_choice = {.kind = chat::ToolChoice::Kind::named, .name = "find"};
    EXPECT_THAT(body_of(request), HasSubstr(R"("toolChoice":{"tool":{"name":"find"}})"));
    request.tool_choice = {.kind = chat::ToolChoice::Kind::automatic};
    EXPECT_THAT(body_of(request), HasSubstr(R"("toolChoice":{"auto":{}})"));
    request.tool_choice = {.kind = chat::ToolChoice::Kind::none};
    EXPECT_THAT(body_of(request), Not(HasSubstr("toolConfig")));
    request.messages.push_back(called({{"c1", ""}}));
    EXPECT_THAT(body_of(request), HasSubstr("toolConfig"));
    EXPECT_THAT(warnings_of(request), ::testing::Contains("dropped_tool_choice"));
}

TEST(BedrockRequest, MarksWhatIsWorthKeepingWhereTheModelCanKeepIt) {
    Request request = asking(
        {said(Role::system, {marked(text("Long"), "1h")}), said(Role::user, {marked(text("Hi"))})});
    request.tools = {tool("find")};
    request.tools[0].cache = chat::CacheMark{};
    const std::string body = body_of(request, claude);
    EXPECT_THAT(body,
                HasSubstr(R"({"json":{"type":"object"}}}},{"cachePoint":{"type":"default"}}])"));
    EXPECT_THAT(
        body,
        HasSubstr(R"("system":[{"text":"Long"},{"cachePoint":{"type":"default","ttl":"1h"}}])"));
    EXPECT_THAT(body, HasSubstr(R"([{"text":"Hi"},{"cachePoint":{"type":"default"}}])"));
    EXPECT_THAT(body_of(request, "meta.llama3-3-70b-instruct-v1:0"), Not(HasSubstr("cachePoint")));
    EXPECT_THAT(warnings_of(request, "meta.llama3-3-70b-instruct-v1:0"),
                ElementsAre("dropped_cache_control"));
}

TEST(BedrockRequest, KeepsTheLastFourMarks) {
    std::vector<Message> messages;
    for (const std::string_view words : {"a", "b", "c", "d", "e", "f"})
        messages.push_back(said(Role::user, {marked(text(words))}));
    EXPECT_THAT(body_of(asking(std::move(messages))),
                HasSubstr(R"([{"text":"a"},{"text":"b"},{"text":"c"},{"cachePoint")"));
}

TEST(BedrockRequest, GivesSignedReasoningBackToItsModelOnly) {
    const auto with_reasoning = [](std::string issuer) {
        Message message = called({{"c1", ""}});
        message.parts.insert(message.parts.begin(), {chat::Reasoning{.text_escaped = "Hm",
                                                                     .signature_escaped = "sig",
                                                                     .issuer = std::move(issuer)}});
        return asking({said(Role::user, "Hi"), message, result("c1", "x")});
    };
    EXPECT_THAT(
        body_of(with_reasoning("bedrock/us.amazon.nova-lite-v1:0")),
        HasSubstr(
            R"([{"reasoningContent":{"reasoningText":{"text":"Hm","signature":"sig"}}},{"toolUse")"));
    EXPECT_THAT(body_of(with_reasoning("gemini/gemini-3-pro")), Not(HasSubstr("reasoningContent")));
}

TEST(BedrockRequest, GivesBackWhatWasKeptForTheTurn) {
    Message message = called({{"c1", ""}});
    message.parts[0].as<chat::ToolCall>()->state = {
        .owner = "bedrock/us.amazon.nova-lite-v1:0",
        .raw = R"([{"reasoningContent":{"redactedContent":"eA=="}}])"};
    EXPECT_THAT(body_of(asking({said(Role::user, "Hi"), message, result("c1", "x")})),
                HasSubstr(R"([{"reasoningContent":{"redactedContent":"eA=="}},{"toolUse")"));
}

TEST(BedrockRequest, AsksForReasoningInTheModelsOwnWords) {
    Request request = hello();
    request.reasoning.effort = chat::Effort::medium;
    EXPECT_THAT(body_of(request, "us.amazon.nova-2-lite-v1:0"),
                HasSubstr(R"("additionalModelRequestFields":{"reasoningConfig":{"type":"enabled",)"
                          R"("maxReasoningEffort":"medium"}})"));
    EXPECT_THAT(body_of(request, "openai.gpt-oss-120b-1:0"),
                HasSubstr(R"("additionalModelRequestFields":{"reasoning_effort":"medium"})"));
    EXPECT_THAT(warnings_of(request, nova), ElementsAre("dropped_reasoning_effort"));
    request.max_tokens = 8000;
    EXPECT_THAT(body_of(request, claude),
                HasSubstr(R"("additionalModelRequestFields":{"thinking":{"type":"enabled",)"));
}

TEST(BedrockRequest, AsksForASchemaByAModeOrByATool) {
    Request request = hello();
    request.output = {.kind = chat::OutputFormat::Kind::json_schema,
                      .name = "person",
                      .schema_raw = R"({"type":"object","properties":{"n":{"type":"string"}}})"};
    EXPECT_THAT(body_of(request, claude),
                HasSubstr(R"("outputConfig":{"textFormat":{"type":"json_schema","structure":)"
                          R"({"jsonSchema":{"schema":"{\"type\":\"object\")"));
    EXPECT_THAT(body_of(request, nova),
                HasSubstr(R"("toolChoice":{"tool":{"name":"runnel_json_answer"}})"));
}

TEST(BedrockRequest, SendsPicturesAndDocumentsWithTheirBytes) {
    const Part pdf{chat::File{
        .source = {.data_escaped = "JVBERi0xLjQ=", .media_type_escaped = "application/pdf"},
        .filename_escaped = "My  report_1.pdf"}};
    const Request request =
        asking({said(Role::user, {image("data:image/jpeg;base64,iVBORw0KGgoAAA=="), pdf, pdf})});
    EXPECT_THAT(
        body_of(request),
        HasSubstr(
            R"([{"image":{"format":"png","source":{"bytes":"iVBORw0KGgoAAA=="}}},)"
            R"({"document":{"format":"pdf","name":"My report-1-pdf","source":{"bytes":"JVBERi0xLjQ="}}},)"
            R"({"document":{"format":"pdf","name":"My report-1-pdf 2","source":{"bytes":"JVBERi0xLjQ="}}},)"
            R"({"text":"."}])"));
}

TEST(BedrockRequest, RefusesWhatItWouldHaveToFetch) {
    const Request request = asking({said(Role::user, {image("https://example.com/a.png")})});
    EXPECT_THAT(body_of(request), HasSubstr("failed: messages[0].content[0] must have its bytes"));
    const auto invoked = bedrock()->write_request(request, claude);
    ASSERT_FALSE(invoked);
    EXPECT_EQ(invoked.error().param, "messages[0].content[0]");
}

TEST(BedrockRequest, AppliesTheGuardrailOfItsConfig) {
    const auto body =
        write_converse_body(hello(), nova, {.guardrail = "gr1", .guardrail_version = "2"});
    EXPECT_THAT(body->text, HasSubstr(R"("guardrailConfig":{"guardrailIdentifier":"gr1",)"
                                      R"("guardrailVersion":"2"})"));
}

TEST(BedrockRequest, SaysWhatItLeavesOut) {
    Request request = hello();
    request.sampling.seed = chat::Number{"1", 1};
    request.sampling.top_k = chat::Number{"5", 5};
    request.sampling.temperature = chat::Number{"1.5", 1.5};
    request.metadata_raw = R"({"team":"é"})";
    EXPECT_THAT(
        warnings_of(request, "meta.llama3"),
        ElementsAre("dropped_seed", "clamped_temperature", "dropped_top_k", "dropped_metadata"));
    request.metadata_raw = R"({"team":"blue"})";
    EXPECT_THAT(body_of(request), HasSubstr(R"("requestMetadata":{"team":"blue"})"));
}

TEST(BedrockErrors, AreKnownByTheirClass) {
    const auto kind_of = [](int status, std::string name, std::string_view body) {
        return bedrock()->read_error({status, {{"x-amzn-errortype", std::move(name)}}, body}).kind;
    };
    EXPECT_EQ(kind_of(429, "ThrottlingException:http://internal.amazon.com/", R"({"message":"x"})"),
              ErrorKind::upstream_rate_limited);
    EXPECT_EQ(kind_of(403, "ExpiredTokenException", "{}"), ErrorKind::upstream_auth);
    EXPECT_EQ(kind_of(403, "AccessDeniedException", "{}"), ErrorKind::upstream_permission);
    EXPECT_EQ(kind_of(400, "ValidationException",
                      R"({"message":"The provided model identifier is invalid."})"),
              ErrorKind::model_not_found);
    EXPECT_EQ(kind_of(400, "com.amazon#ServiceQuotaExceededException", "{}"),
              ErrorKind::upstream_quota);
    EXPECT_EQ(kind_of(424, "ModelErrorException", "{}"), ErrorKind::upstream_failed);
    EXPECT_EQ(kind_of(408, "ModelTimeoutException", "{}"), ErrorKind::upstream_timeout);
}

TEST(BedrockConfig, NeedsARegion) {
    const auto made = make_provider({.name = "aws", .kind = "bedrock", .base_url = ""});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message,
              "a provider of kind 'bedrock' needs a region, e.g. region: us-east-1");
    ProviderConfig config{.name = "aws", .kind = "bedrock", .base_url = ""};
    config.cloud.region = "evil.example.com/";
    EXPECT_FALSE(make_provider(config));
}

}  // namespace
}  // namespace runnel::provider::bedrock
