#include "provider/core/answer_reader.hpp"
#include "provider/registry.hpp"
#include "support/chat_requests.hpp"
#include "support/timeline_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider {
namespace {

using namespace runnel::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::unique_ptr<Provider> vertex(std::string location = {}, std::string project = "my-project") {
    ProviderConfig config{.name = "google", .kind = "vertex", .base_url = ""};
    config.cloud = {.project = std::move(project), .location = std::move(location)};
    config.headers = {{"Anthropic-Beta", "a, b"}, {"X-Team", "blue"}};
    auto made = make_provider(config);
    return made ? std::move(*made) : nullptr;
}

std::string path_of(std::string_view model, chat::Streaming streaming = chat::Streaming::no) {
    Request request = hello();
    request.streaming = streaming;
    const auto out = vertex()->write_request(request, model);
    return out ? out->path : out.error().message;
}

TEST(Vertex, HasAHostForEachLocation) {
    EXPECT_EQ(vertex()->origin(), "https://aiplatform.googleapis.com");
    EXPECT_EQ(vertex("global")->origin(), "https://aiplatform.googleapis.com");
    EXPECT_EQ(vertex("eu")->origin(), "https://aiplatform.eu.rep.googleapis.com");
    EXPECT_EQ(vertex("europe-west1")->origin(), "https://europe-west1-aiplatform.googleapis.com");
    EXPECT_EQ(vertex("evil.example/"), nullptr);
    EXPECT_EQ(vertex("global", "../x y"), nullptr);
}

TEST(Vertex, HasAPathForEachPublisher) {
    const std::string base = "/v1/projects/my-project/locations/global/";
    EXPECT_EQ(path_of("gemini-2.5-pro"),
              base + "publishers/google/models/gemini-2.5-pro:generateContent");
    EXPECT_EQ(path_of("google/gemini-2.5-pro", chat::Streaming::yes),
              base + "publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse");
    EXPECT_EQ(path_of("claude-sonnet-4-5@20250929"),
              base + "publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict");
    EXPECT_EQ(path_of("anthropic/claude-opus-4-6", chat::Streaming::yes),
              base + "publishers/anthropic/models/claude-opus-4-6:streamRawPredict");
    EXPECT_EQ(path_of("meta/llama-4-maverick-17b-128e-instruct-maas"),
              base + "endpoints/openapi/chat/completions");
}

TEST(Vertex, AsksClaudeWithoutItsName) {
    Request request = hello();
    request.streaming = chat::Streaming::yes;
    const auto out = vertex()->write_request(request, "claude-sonnet-4-5@20250929");
    ASSERT_TRUE(out);
    EXPECT_EQ(out->body, R"({"anthropic_version":"vertex-2023-10-16","max_tokens":100,)"
                         R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],)"
                         R"("anthropic_beta":["a","b"]})");
    EXPECT_EQ(out->turn.display_name, "Vertex AI");
}

TEST(Vertex, IsAskedWithAKeyWhereItHasNoProject) {
    const auto express = vertex({}, "");
    EXPECT_EQ(express->key_header().name, "x-goog-api-key");
    EXPECT_EQ(express->write_request(hello(), "gemini-2.5-flash")->path,
              "/v1/publishers/google/models/gemini-2.5-flash:generateContent");
    const auto claude = express->write_request(hello(), "claude-opus-4-6");
    ASSERT_FALSE(claude);
    EXPECT_THAT(claude.error().message, HasSubstr("needs a project"));
    EXPECT_EQ(vertex()->identity(), Provider::Identity::google);
}

std::string told(std::string_view bytes, std::string_view model) {
    json::Parser parser;
    IdSource ids(1);
    TimelineRecorder recorder;
    AnswerReader reader(vertex()->make_wire(&parser), vertex()->turn_options(model), &recorder,
                        &ids);
    std::string piece(bytes);
    reader.feed(Padded::of(piece));
    reader.finish();
    return recorder.text();
}

TEST(Vertex, ReadsWhatEachPublisherAnswers) {
    EXPECT_EQ(told("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},"
                   "\"finishReason\":\"STOP\"}]}\r\n\r\n",
                   "gemini-2.5-pro"),
              "started\ntext 0 \"Hi\"\nfinish 0 stop\nended\n");
    EXPECT_THAT(told(R"({"type":"message","id":"m","content":[{"type":"text","text":"Hi"}],)"
                     R"("stop_reason":"end_turn"})",
                     "claude-opus-4-6"),
                StartsWith("started\ntext 0 \"Hi\"\n"));
    EXPECT_EQ(told("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},"
                   "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
                   "meta/llama"),
              "started\ntext 0 \"Hi\"\nfinish 0 stop\nended\n");
}

}  // namespace
}  // namespace runnel::provider
