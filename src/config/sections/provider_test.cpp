#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::problem;
using testing::provider_problem;
using testing::read;

TEST(ConfigProviders, ReadsProvidersInTheirOrder) {
    const Config config = read(R"(
providers:
  openai: {kind: openai, api_key: "${OPENAI_API_KEY}"}
  local:
    kind: openai-compatible
    base_url: http://127.0.0.1:11434/v1
    headers: {X-Team: blue, X-Note: "a $${price}"}
    timeouts: {connect: 800ms, first_token: 5m, idle: 15s, total: 1h}
    proxy: http://user:pass@proxy.example.com:3128
  several: {kind: anthropic, keys: [a, b]}
  cloud: {kind: azure, base_url: "https://x.openai.azure.com", api_version: 2024-10-21, api_key: k}
)");
    ASSERT_EQ(config.providers.size(), 4u);
    const Provider& openai = config.providers[0];
    EXPECT_EQ(openai.name, "openai");
    EXPECT_EQ(openai.kind, "openai");
    EXPECT_EQ(openai.base_url, "");
    EXPECT_THAT(openai.keys, ElementsAre(Secret("sk-from-the-environment")));
    EXPECT_EQ(openai.timeouts.idle, std::nullopt);
    const Provider& local = config.providers[1];
    EXPECT_EQ(local.base_url, "http://127.0.0.1:11434/v1");
    EXPECT_THAT(local.keys, IsEmpty());
    EXPECT_THAT(local.headers, ElementsAre(::testing::Pair("X-Team", "blue"),
                                           ::testing::Pair("X-Note", "a ${price}")));
    EXPECT_EQ(local.timeouts.connect, 800ms);
    EXPECT_EQ(local.timeouts.first_token, 5min);
    EXPECT_EQ(local.timeouts.idle, 15s);
    EXPECT_EQ(local.timeouts.total, 1h);
    EXPECT_EQ(local.proxy, "http://user:pass@proxy.example.com:3128");
    EXPECT_THAT(config.providers[2].keys, ElementsAre(Secret("a"), Secret("b")));
    EXPECT_EQ(config.providers[3].api_version, "2024-10-21");
}

TEST(ConfigProviders, ReadsHowOftenAndHowManyAtATime) {
    const auto providers =
        read("providers: {a: {kind: vllm, retries: 0, concurrent: 8}, b: {kind: vllm}}").providers;
    ASSERT_EQ(providers.size(), 2u);
    EXPECT_EQ(providers[0].retries, 0);
    EXPECT_EQ(providers[0].concurrent, 8u);
    EXPECT_EQ(providers[1].retries, std::nullopt);
    EXPECT_EQ(providers[1].concurrent, 0u);
    EXPECT_EQ(provider_problem("retries: 6"),
              "4:14: providers.p.retries must be a whole number from 0 to 5, not '6'");
    EXPECT_EQ(provider_problem("concurrent: 0"),
              "4:17: providers.p.concurrent must be a whole number from 1 to 1000000, not '0'");
}

TEST(ConfigProviders, ReadsWhatItsModelsCanDo) {
    const auto providers = read(R"(
providers:
  local:
    kind: vllm
    models:
      llama-8b: {tools: true, vision: false, streaming: True, context_length: 131072}
      org/thinker: {reasoning: true, max_output: 8192}
      bare:
)")
                               .providers;
    ASSERT_EQ(providers.size(), 1u);
    const auto& models = providers[0].models;
    ASSERT_EQ(models.size(), 3u);
    EXPECT_EQ(models[0].name, "llama-8b");
    EXPECT_EQ(models[0].facts.tools, true);
    EXPECT_EQ(models[0].facts.vision, false);
    EXPECT_EQ(models[0].facts.streaming, true);
    EXPECT_EQ(models[0].facts.reasoning, std::nullopt);
    EXPECT_EQ(models[0].facts.context_length, 131072);
    EXPECT_EQ(models[1].name, "org/thinker");
    EXPECT_EQ(models[1].facts.reasoning, true);
    EXPECT_EQ(models[1].facts.max_output, 8192);
    EXPECT_EQ(models[2].name, "bare");
    EXPECT_EQ(models[2].facts.tools, std::nullopt);
}

TEST(ConfigProviders, ReportsFactsThatAreNone) {
    EXPECT_EQ(provider_problem("models: {m: {tool: true}}"),
              "4:18: unknown key 'tool' in providers.p.models.m; did you mean 'tools'?");
    EXPECT_EQ(provider_problem("models: {m: {tools: maybe}}"),
              "4:25: providers.p.models.m.tools must be true or false, not 'maybe'");
    EXPECT_THAT(provider_problem("models: {m: {context_length: 128k}}"),
                HasSubstr("must be a whole number from 1 to 1000000000, not '128k'"));
    EXPECT_EQ(provider_problem("models: [m]"),
              "4:13: providers.p.models must be a map of keys and values, not a list");
}

TEST(ConfigProviders, ReportsBadProviders) {
    EXPECT_THAT(
        problem("providers: {p: {kind: opnai}}"),
        ::testing::AllOf(::testing::StartsWith("1:23: providers.p.kind: 'opnai' is not one of "),
                         ::testing::EndsWith("; did you mean 'openai'?")));
    EXPECT_THAT(
        problem("providers: {p: {api_key: k}}"),
        ::testing::StartsWith("1:13: providers.p: kind is missing; it is one of anthropic, "));
    EXPECT_THAT(
        problem("providers:\n  local: {kind: openai-compatible}\n"),
        ::testing::AllOf(::testing::StartsWith("2:3: providers.local: "), HasSubstr("base_url")));
    EXPECT_THAT(problem("providers: {az: {kind: azure, api_key: k}}"), HasSubstr("base_url"));
    EXPECT_EQ(
        problem("providers: {demo: {kind: openai}}"),
        "1:13: providers.demo: this name is taken by the built-in demo models; choose another");
    EXPECT_EQ(problem("providers: {a/b: {kind: openai}}"),
              "1:13: providers.a/b: a provider's name has letters, digits, '.', '_' and '-' only");
    EXPECT_EQ(provider_problem("keys: k"), "4:11: providers.p.keys must be a list, not 'k'");
    EXPECT_EQ(provider_problem("keys: [a]\n    api_key: b"),
              "4:11: providers.p.keys: there is an api_key already; write one of the two");
}

TEST(ConfigProviders, ReportsBadProviderSettings) {
    for (const char* url :
         {"api.openai.com", "ftp://x", "https://", "https://a b", "https://a:99999", "https://a:b",
          "https://a?x=1", "https://a#b", "https://u:p@a", "https://é", "https://300.1.1.1"})
        EXPECT_THAT(provider_problem(std::string("base_url: '") + url + "'"),
                    HasSubstr("must be a URL"));
    for (const char* proxy : {"proxy:3128", "https://proxy:3128", "http://", "http://a/path"})
        EXPECT_THAT(
            provider_problem(std::string("proxy: '") + proxy + "'"),
            HasSubstr("providers.p.proxy must be a URL such as http://proxy.example.com:3128"));
    EXPECT_EQ(
        provider_problem("timeouts: {idle: 15}"),
        "4:22: providers.p.timeouts.idle must be a time such as 800ms, 15s, 5m or 1h, from 1ms to "
        "24h, not '15'");
    EXPECT_THAT(provider_problem("timeouts: {idle: 0s}"), HasSubstr("not '0s'"));
    EXPECT_THAT(provider_problem("timeouts: {idle: 25h}"), HasSubstr("not '25h'"));
    EXPECT_EQ(provider_problem("headers: {'X Y': a}"),
              "4:15: providers.p.headers.X Y: this is not the name of a header");
    EXPECT_EQ(
        provider_problem("headers: {Content-Length: 3}"),
        "4:15: providers.p.headers.Content-Length: this header is set for each request and cannot "
        "be chosen");
    EXPECT_EQ(
        provider_problem("headers: {X: \"a\\nb\"}"),
        "4:18: providers.p.headers.X: a header cannot have line breaks or other control characters "
        "in it");
    EXPECT_THAT(provider_problem("api_version: a&b"), HasSubstr("must be a version such as"));
}

}  // namespace
}  // namespace runnel::config
