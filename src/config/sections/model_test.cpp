#include "config/sections/model.hpp"

#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::problem;
using testing::read;

TEST(ConfigModels, ReadsModels) {
    const Config config = read(R"(
providers:
  local: {kind: vllm}
models:
  fast:
    targets: [local/llama/8b, demo/echo, "@local/big"]
    strategy: failover
  operator:
    targets: [local/llama-8b]
    system: |
      You are brief.
      Always.
    dialect: agent
    defaults:
      temperature: 0.20
      max_tokens: 1000
      seed: "42"
      logprobs: false
      user: null
      stop: [END, "1", 1]
      metadata: {team: blue, "quoted \"key\"": 1e3}
default_model: fast
)");
    ASSERT_EQ(config.models.size(), 2u);
    EXPECT_EQ(config.models[0].name, "fast");
    EXPECT_THAT(config.models[0].targets,
                ElementsAre(Field(&Target::name, "local/llama/8b"),
                            Field(&Target::name, "demo/echo"), Field(&Target::name, "local/big")));
    EXPECT_EQ(config.models[0].defaults_json, "");
    const Model& operating = config.models[1];
    EXPECT_EQ(operating.system, "You are brief.\nAlways.\n");
    EXPECT_EQ(operating.dialect, "agent");
    EXPECT_EQ(operating.defaults_json,
              R"({"temperature":0.20,"max_tokens":1000,"seed":"42","logprobs":false,"user":null,)"
              R"("stop":["END","1",1],"metadata":{"team":"blue","quoted \"key\"":1e3}})");
    EXPECT_EQ(config.default_model, "fast");
}

TEST(ConfigModels, ReadsWhichToolsEachApiIsNeverShown) {
    const Config config = read("models: {m: {targets: [demo/tools], hidden_tools: "
                               "{chat: [now, read_file], messages: ['*']}}}");
    EXPECT_THAT(config.models[0].hidden_tools,
                ElementsAre(Pair("chat", ElementsAre("now", "read_file")),
                            Pair("messages", ElementsAre("*"))));
    const auto hidden = [](std::string_view written) {
        return problem("models: {m: {targets: [demo/tools], hidden_tools: " + std::string(written) +
                       "}}");
    };
    EXPECT_THAT(hidden("{chats: [now]}"), HasSubstr("chats"));
    EXPECT_THAT(hidden("{chat: ['a b']}"), HasSubstr("a tool's name, or * for every tool"));
}

TEST(ConfigModels, WritesYamlsOwnNumbersAsJson) {
    const auto json = [](const std::string& value) {
        return read("models: {m: {targets: [demo/echo], defaults: {v: " + value + "}}}")
            .models.at(0)
            .defaults_json;
    };
    EXPECT_EQ(json("+1"), R"({"v":1})");
    EXPECT_EQ(json(".5"), R"({"v":0.5})");
    EXPECT_EQ(json("1."), R"({"v":1})");
    EXPECT_EQ(json("-.5e2"), R"({"v":-50})");
    EXPECT_EQ(json("007"), R"({"v":7})");
    EXPECT_EQ(json("12345678901234567890"), R"({"v":12345678901234567890})");
    EXPECT_EQ(json("True"), R"({"v":true})");
    EXPECT_EQ(json("yes"), R"({"v":"yes"})");
    EXPECT_EQ(json("1.2.3"), R"({"v":"1.2.3"})");
    EXPECT_EQ(json("'${PORT}'"), R"({"v":"9000"})");
    EXPECT_EQ(json("[]"), R"({"v":[]})");
    EXPECT_EQ(json("!!str 5"), R"({"v":"5"})");
}

TEST(ConfigModels, ReportsModelsThatCanNeverRoute) {
    EXPECT_EQ(
        problem("providers: {openai: {kind: openai}}\nmodels:\n  m: {targets: [opnai/gpt-5]}\n"),
        "3:17: models.m.targets[0]: no provider is named 'opnai'; did you mean 'openai'?");
    EXPECT_EQ(problem("models: {m: {targets: [demo/echo, xyz/a]}}"),
              "1:35: models.m.targets[1]: no provider is named 'xyz'; there is demo");
    EXPECT_EQ(
        problem("models: {m: {targets: [gpt-5]}}"),
        "1:24: models.m.targets[0] must be provider/model, such as openai/gpt-5-mini, not 'gpt-5'");
    EXPECT_EQ(
        problem("models: {m: {targets: []}}"),
        "1:23: models.m.targets: a model needs targets, such as targets: [openai/gpt-5-mini]");
    EXPECT_EQ(problem("models:\n  m: {system: hi}\n"),
              "2:3: models.m: a model needs targets, such as targets: [openai/gpt-5-mini]");
    EXPECT_EQ(problem("models: {m: {targets: demo/echo}}"),
              "1:23: models.m.targets must be a list, not 'demo/echo'");
}

TEST(ConfigModels, ReportsBadModels) {
    for (const char* name : {"''", "'a b'", "'@a'", "/a", "'a\"b'", "é"})
        EXPECT_THAT(problem("models: {" + std::string(name) + ": {targets: [demo/echo]}}"),
                    HasSubstr("a model's name begins with a letter or digit"))
            << name;
    const auto with = [](const std::string& field) {
        return problem("models: {m: {targets: [demo/echo], " + field + "}}");
    };
    EXPECT_EQ(with("strategy: failovr"),
              "1:46: models.m.strategy: 'failovr' is not one of failover, weighted, "
              "least-latency; did you mean 'failover'?");
    EXPECT_EQ(with("retries: -1"),
              "1:45: models.m.retries must be a whole number from 0 to 5, not '-1'");
    EXPECT_THAT(with("timeout: 60"), HasSubstr("models.m.timeout must be a time such as"));
    EXPECT_EQ(with("timeouts: {first: 3s}"),
              "1:47: unknown key 'first' in models.m.timeouts; did you mean 'first_token'?");
    EXPECT_EQ(with("midstream: verifed"),
              "1:47: models.m.midstream: 'verifed' is not one of fail, verified; did you mean "
              "'verified'?");
    EXPECT_EQ(with("limits: {max_token: 5}"),
              "1:45: unknown key 'max_token' in models.m.limits; did you mean 'max_tokens'?");
    EXPECT_EQ(with("limits: {max_tokens: 0}"),
              "1:57: models.m.limits.max_tokens must be a whole number from 1 to 2147483647, not "
              "'0'");
    EXPECT_EQ(with("streaming: no"), "1:47: models.m.streaming must be true or false, not 'no'");
    EXPECT_THAT(with("dialect: klingon"),
                HasSubstr("models.m.dialect: 'klingon' is not one of openai, timeline, agent, "
                          "agent-raw"));
    EXPECT_EQ(with("defaults: {stream: true}"),
              "1:47: models.m.defaults.stream: each request says this for itself; it cannot have a "
              "default");
    EXPECT_THAT(with("defaults: {top_p: .nan}"), HasSubstr("must be a number that JSON can write"));
    EXPECT_THAT(with("defaults: {top_p: 1e999}"),
                HasSubstr("must be a number that JSON can write"));
    EXPECT_THAT(with("defaults: [a]"), HasSubstr("models.m.defaults must be a map"));
}

TEST(ConfigModels, ReadsHowAModelIsTried) {
    const auto models = read(R"(
models:
  plain: {targets: [demo/echo]}
  careful:
    targets: [demo/echo, {target: demo/text, weight: 3}, {target: "@demo/slow"}]
    strategy: weighted
    retries: 0
    timeout: 60s
    timeouts: {connect: 1s, first_token: 2s, idle: 3s, total: 4s}
    hedge: {after: 800ms}
    midstream: verified
    failover_scope: round
    text_tool_calls: true
    same_model: true
    limits: {max_tokens: 4096, concurrent: 10}
  quick: {targets: [demo/echo, demo/text], strategy: least-latency, midstream: fail}
)")
                            .models;
    ASSERT_EQ(models.size(), 3u);
    EXPECT_EQ(models[0].policy.strategy, router::Strategy::failover);
    EXPECT_EQ(models[0].policy.retries, std::nullopt);
    EXPECT_EQ(models[0].policy.timeout, std::nullopt);
    EXPECT_EQ(models[0].policy.hedge_after, std::nullopt);
    EXPECT_EQ(models[0].policy.midstream, std::nullopt);
    EXPECT_EQ(models[0].policy.failover_scope, std::nullopt);
    EXPECT_FALSE(models[0].text_tool_calls);
    EXPECT_EQ(models[0].same_model, router::SameModel::by_name);
    EXPECT_EQ(models[0].max_tokens, std::nullopt);
    EXPECT_EQ(models[0].concurrent, 0u);
    EXPECT_EQ(models[0].streams, Model::Streams::yes);
    const Model& careful = models[1];
    EXPECT_THAT(careful.targets,
                ElementsAre(AllOf(Field(&Target::name, "demo/echo"), Field(&Target::weight, 1u)),
                            AllOf(Field(&Target::name, "demo/text"), Field(&Target::weight, 3u)),
                            AllOf(Field(&Target::name, "demo/slow"), Field(&Target::weight, 1u))));
    EXPECT_EQ(careful.policy.strategy, router::Strategy::weighted);
    EXPECT_EQ(careful.policy.retries, 0);
    EXPECT_EQ(careful.policy.timeout, 60s);
    EXPECT_EQ(careful.policy.timeouts.connect, 1s);
    EXPECT_EQ(careful.policy.timeouts.first_token, 2s);
    EXPECT_EQ(careful.policy.timeouts.idle, 3s);
    EXPECT_EQ(careful.policy.timeouts.total, 4s);
    EXPECT_EQ(careful.policy.hedge_after, 800ms);
    EXPECT_EQ(careful.policy.midstream, router::Midstream::verified);
    EXPECT_EQ(careful.policy.failover_scope, router::FailoverScope::round);
    EXPECT_TRUE(careful.text_tool_calls);
    EXPECT_EQ(careful.same_model, router::SameModel::yes);
    EXPECT_EQ(careful.max_tokens, 4096);
    EXPECT_EQ(careful.concurrent, 10u);
    EXPECT_EQ(models[2].policy.strategy, router::Strategy::least_latency);
}

TEST(ConfigModels, LooksAtWeightsOnlyWhereTheyAreDrawn) {
    const auto with = [](const std::string& fields) {
        return problem("models: {m: {targets: [demo/text, {target: demo/echo, weight: 3}]" +
                       fields + "}}");
    };
    constexpr const char* message =
        "1:63: models.m.targets[1].weight: only strategy: weighted looks at weights; set it, or "
        "leave the weight out";
    EXPECT_EQ(with(""), message);
    EXPECT_EQ(with(", strategy: least-latency"), message);
    EXPECT_EQ(problem("models: {m: {targets: [{target: demo/echo, weight: 0}], strategy: "
                      "weighted}}"),
              "1:52: models.m.targets[0].weight must be a whole number from 1 to 1000, not '0'");
    EXPECT_EQ(problem("models: {m: {targets: [{weight: 3}], strategy: weighted}}"),
              "1:24: models.m.targets[0]: target is missing, such as {target: openai/gpt-5-mini, "
              "weight: 3}");
    EXPECT_EQ(problem("models: {m: {targets: [{target: demo/echo, wight: 3}]}}"),
              "1:44: unknown key 'wight' in models.m.targets[0]; did you mean 'weight'?");
}

TEST(ConfigModels, HedgesOnlyBetweenTwo) {
    EXPECT_EQ(problem("models: {m: {targets: [demo/echo], hedge: {after: 1s}}}"),
              "1:43: models.m.hedge: a hedge needs two targets at least: it asks the next one; add "
              "a target, or leave hedge out");
    EXPECT_EQ(problem("models: {m: {targets: [demo/echo, demo/text], hedge: {}}}"),
              "1:54: models.m.hedge: after is missing: the time without a first token, such as "
              "{after: 800ms}");
    EXPECT_THAT(problem("models: {m: {targets: [demo/echo, demo/text], hedge: 1s}}"),
                HasSubstr("models.m.hedge must be a map"));
    EXPECT_THAT(problem("models: {m: {targets: [demo/echo, demo/text], hedge: {after: 0s}}}"),
                HasSubstr("from 1ms to 10m, not '0s'"));
}

TEST(ConfigModels, ReportsATargetThatStandsThereTwice) {
    EXPECT_EQ(problem("models: {m: {targets: [demo/echo, '@demo/echo']}}"),
              "1:35: models.m.targets[1]: this target is in the list already; to ask it more "
              "often, set retries");
}

TEST(ConfigModels, MayHaveAnId) {
    const std::string id = "0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11";
    EXPECT_EQ(read("models: {m: {targets: [demo/echo], id: " + id + "}}").models[0].id, id);
    for (const char* other :
         {"one", "0B54B0A4-7D7B-4A57-8D0C-3F1F8C1C2A11", "0b54b0a47d7b4a578d0c3f1f8c1c2a11", "''"})
        EXPECT_THAT(problem("models: {m: {targets: [demo/echo], id: " + std::string(other) + "}}"),
                    HasSubstr("models.m.id must be a UUID in small letters"));
    EXPECT_EQ(problem("models:\n  a: {targets: [demo/echo], id: " + id +
                      "}\n  b: {targets: [demo/echo], id: " + id + "}"),
              "3:33: models.b.id: another model has this id or name; each needs one of its own");
    EXPECT_THAT(
        problem("aliases: {" + id + ": m}\nmodels: {m: {targets: [demo/echo], id: " + id + "}}"),
        HasSubstr("models.m.id: another model has this id or name"));
}

TEST(ConfigModels, KnowsWhichModelsTheDemoHas) {
    EXPECT_EQ(problem("models: {m: {targets: [demo/ecko]}}"),
              "1:24: models.m.targets[0]: demo has no model 'ecko'; did you mean 'echo'?");
    EXPECT_THAT(problem("providers: {d: {kind: demo}}\nmodels: {m: {targets: [d/zzzzzz]}}"),
                HasSubstr("d has no model 'zzzzzz'; there is echo, text, reasoning"));
}

}  // namespace
}  // namespace runnel::config
