#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::problem;
using testing::read;

TEST(ConfigRoutes, ReportsAProviderOnceAndNotItsTargetsToo) {
    EXPECT_THAT(problem("providers: {p: {kind: opnai}}\nmodels: {m: {targets: [p/x]}}\n"),
                HasSubstr("providers.p.kind"));
}

TEST(ConfigRoutes, ReportsADefaultModelThatNothingServes) {
    EXPECT_EQ(read("models: {m: {targets: [demo/echo]}}\ndefault_model: m\n").default_model, "m");
    EXPECT_EQ(read("default_model: '@demo/echo'\n").default_model, "demo/echo");
    EXPECT_EQ(read("providers: {o: {kind: openai}}\ndefault_model: gpt-5\n").default_model,
              "gpt-5");
    EXPECT_EQ(read("default_model: echo\n").default_model, "echo");
    EXPECT_EQ(problem("default_model: gpt-5\n"),
              "1:16: default_model must be one of the models, or provider/model, not 'gpt-5'");
    EXPECT_EQ(problem("models: {fast: {targets: [demo/echo]}}\ndefault_model: fats\n"),
              "2:16: default_model must be one of the models, or provider/model, not 'fats'; did "
              "you mean "
              "'fast'?");
    EXPECT_EQ(problem("default_model: opeai/gpt-5\nproviders: {openai: {kind: openai}}\n"),
              "1:16: default_model: no provider is named 'opeai'; did you mean 'openai'?");
}

TEST(ConfigRoutes, ReportsAProviderOnceAndNotTheDefaultModelToo) {
    EXPECT_THAT(
        problem("providers: {o: {kind: openai, api_key: '${NOT_SET}'}}\ndefault_model: gpt-5\n"),
        HasSubstr("NOT_SET is not set"));
}

TEST(ConfigRoutes, ReadsAliases) {
    const Config config = read(R"(
providers: {o: {kind: openai}}
models: {fast: {targets: [demo/echo]}}
aliases: {gpt: fast, mini: o/gpt-5-mini, tagged: "@demo/text", bare: gpt-5, "a/b:c": fast}
default_model: gpt
)");
    EXPECT_THAT(config.aliases, ElementsAre(Pair("gpt", "fast"), Pair("mini", "o/gpt-5-mini"),
                                            Pair("tagged", "demo/text"), Pair("bare", "gpt-5"),
                                            Pair("a/b:c", "fast")));
    EXPECT_EQ(config.default_model, "gpt");
}

TEST(ConfigRoutes, ReportsAliasesOfNothing) {
    const std::string fast = "models: {fast: {targets: [demo/echo]}}\n";
    EXPECT_EQ(problem(fast + "aliases: {gpt: fats}"),
              "2:16: aliases.gpt must be one of the models, or provider/model, not 'fats'; did you "
              "mean 'fast'?");
    EXPECT_EQ(problem(fast + "aliases: {gpt: dmo/echo}"),
              "2:16: aliases.gpt: no provider is named 'dmo'; did you mean 'demo'?");
    EXPECT_EQ(problem(fast + "aliases: {gpt: demo/eco}"),
              "2:16: aliases.gpt: demo has no model 'eco'; did you mean 'echo'?");
    EXPECT_EQ(problem(fast + "aliases: {gpt: [fast]}"),
              "2:16: aliases.gpt must be text, not a list");
    EXPECT_EQ(problem(fast + "aliases: {fast: demo/text}"),
              "2:11: aliases.fast: a model has this name already; an alias needs one of its own");
    EXPECT_EQ(problem(fast + "aliases: {a: fast, b: a}"),
              "2:23: aliases.b: 'a' is an alias too; write what it stands for");
    EXPECT_EQ(problem(fast + "aliases: {a: a}"),
              "2:14: aliases.a: 'a' is an alias too; write what it stands for");
    EXPECT_THAT(problem(fast + "aliases: {'@a': fast}"),
                HasSubstr("a model's name begins with a letter or digit"));
}

TEST(ConfigRoutes, ReportsAModelOnceAndNotItsAliasToo) {
    EXPECT_THAT(problem("models: {m: {targets: [nobody/x]}}\naliases: {a: m}\n"),
                HasSubstr("no provider is named 'nobody'"));
}

// `conductor` cannot stream; `fields` say who does.
std::string conductor(const std::string& fields) {
    return "models:\n"
           "  operator: {targets: [demo/echo]}\n"
           "  other: {targets: [demo/echo], streaming: false}\n"
           "  conductor: {targets: [demo/text], " +
           fields +
           "}\n"
           "aliases: {me: conductor, op: operator}\n";
}

TEST(ConfigRoutes, ReadsWhoStandsInForAModelThatCannotStream) {
    const auto models = [](const std::string& fields) { return read(conductor(fields)).models; };
    EXPECT_EQ(models("streaming: false, stream_fallback: operator").at(2).stream_fallback,
              "operator");
    EXPECT_EQ(models("streaming: false").at(2).streams, Model::Streams::no);
    EXPECT_EQ(models("streaming: false").at(2).stream_fallback, "");
    EXPECT_EQ(models("streaming: false, stream_fallback: op").at(2).stream_fallback, "op");
    EXPECT_EQ(models("streaming: false, stream_fallback: demo/slow").at(2).stream_fallback,
              "demo/slow");
}

TEST(ConfigRoutes, ReportsAStandInThatCannotStream) {
    const auto with = [](const std::string& name) {
        return problem(conductor("streaming: false, stream_fallback: " + name));
    };
    EXPECT_EQ(with("operater"),
              "4:72: models.conductor.stream_fallback must be one of the models, or "
              "provider/model, not 'operater'; did you mean 'operator'?");
    EXPECT_EQ(with("conductor"), "4:72: models.conductor.stream_fallback: a model cannot stand in "
                                 "for itself; name one that can stream");
    EXPECT_THAT(with("me"), HasSubstr("a model cannot stand in for itself"));
    EXPECT_EQ(with("other"), "4:72: models.conductor.stream_fallback: 'other' has streaming: false "
                             "too; name a model that can stream");
    EXPECT_EQ(problem(conductor("stream_fallback: operator")),
              "4:54: models.conductor.stream_fallback: this is for a model with streaming: false; "
              "add that, or leave this out");
}

}  // namespace
}  // namespace runnel::config
