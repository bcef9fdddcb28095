#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace runnel::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DefaultConfig, TakesProvidersWhoseKeyIsInTheEnvironment) {
    const Config config = default_config([](const char* name) -> const char* {
        if (std::strcmp(name, "OPENAI_API_KEY") == 0) return "sk-1";
        if (std::strcmp(name, "ANTHROPIC_API_KEY") == 0) return "sk-2";
        if (std::strcmp(name, "GEMINI_API_KEY") == 0) return "";
        if (std::strcmp(name, "AZURE_OPENAI_API_KEY") == 0)
            return "k";  // no base URL to use it with
        return nullptr;
    });
    ASSERT_EQ(config.providers.size(), 2u);
    EXPECT_EQ(config.providers[0].name, "anthropic");
    EXPECT_EQ(config.providers[0].kind, "anthropic");
    EXPECT_THAT(config.providers[0].keys, ElementsAre(Secret("sk-2")));
    EXPECT_EQ(config.providers[1].name, "openai");
    EXPECT_EQ(config.providers[1].base_url, "");
}

TEST(DefaultConfig, NeedsNothing) {
    const Config config = default_config([](const char*) -> const char* { return nullptr; });
    EXPECT_THAT(config.providers, IsEmpty());
    EXPECT_THAT(config.models, IsEmpty());
    EXPECT_EQ(config.listen, "127.0.0.1:8080");
}

TEST(DefaultConfig, FindsOllamaWhereItsOwnVariableSays) {
    static const char* host;
    const auto url = [](const char* value) {
        host = value;
        const Config config = default_config([](const char* name) -> const char* {
            return std::strcmp(name, "OLLAMA_HOST") == 0 ? host : nullptr;
        });
        EXPECT_EQ(config.providers.size(), 1u);
        return config.providers.empty() ? "" : config.providers[0].base_url;
    };
    EXPECT_EQ(url("127.0.0.1:11500"), "http://127.0.0.1:11500");
    EXPECT_EQ(url("gpu-box"), "http://gpu-box:11434");
    EXPECT_EQ(url(":9999"), "http://127.0.0.1:9999");
    EXPECT_EQ(url("[::1]"), "http://[::1]:11434");
    EXPECT_EQ(url("https://ollama.example.com"), "https://ollama.example.com");
}

TEST(DefaultConfig, TracesToWhereOpenTelemetrysVariablesSay) {
    const auto nothing = [](const char*) -> const char* { return nullptr; };
    EXPECT_FALSE(default_config(nothing).traces);

    const auto base = default_config([](const char* name) -> const char* {
        return std::strcmp(name, "OTEL_EXPORTER_OTLP_ENDPOINT") == 0 ? "http://c:4318" : nullptr;
    });
    ASSERT_TRUE(base.traces);
    EXPECT_EQ(base.traces->endpoint, "http://c:4318/v1/traces");
    EXPECT_EQ(base.traces->service_name, "runnel");

    const auto exact = default_config([](const char* name) -> const char* {
        if (std::strcmp(name, "OTEL_EXPORTER_OTLP_ENDPOINT") == 0) return "http://c:4318";
        if (std::strcmp(name, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == 0) return "http://t/here";
        return std::strcmp(name, "OTEL_SERVICE_NAME") == 0 ? "mine" : nullptr;
    });
    ASSERT_TRUE(exact.traces);
    EXPECT_EQ(exact.traces->endpoint, "http://t/here");
    EXPECT_EQ(exact.traces->service_name, "mine");
}

}  // namespace
}  // namespace runnel::config
