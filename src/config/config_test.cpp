#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

const char* environment(const char* name) {
    if (std::strcmp(name, "OPENAI_API_KEY") == 0) return "sk-from-the-environment";
    if (std::strcmp(name, "EMPTY") == 0) return "";
    if (std::strcmp(name, "PORT") == 0) return "9000";
    if (std::strcmp(name, "TWO_LINES") == 0) return "one\ntwo";
    return nullptr;
}

Config read(std::string_view yaml) {
    auto config = read_config(yaml, environment);
    if (config) return std::move(*config);
    for (const Problem& problem : config.error())
        ADD_FAILURE() << problem.line << ":" << problem.column << ": " << problem.message;
    return {};
}

// Every problem as "LINE:COLUMN: message".
std::vector<std::string> problems(std::string_view yaml) {
    std::vector<std::string> lines;
    const auto config = read_config(yaml, environment);
    if (config) return lines;
    for (const Problem& problem : config.error())
        lines.push_back(std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
                        problem.message);
    return lines;
}

// The one problem of a file.
std::string problem(std::string_view yaml) {
    const auto all = problems(yaml);
    EXPECT_EQ(all.size(), 1u) << yaml << testing::PrintToString(all);
    return all.empty() ? "" : all.front();
}

// Of a provider that has only `field` wrong.
std::string provider_problem(const std::string& field) {
    return problem("providers:\n  p:\n    kind: openai\n    " + field + "\n");
}

TEST(Config, HasDefaultsForEverything) {
    for (const char* text : {"", "\n", "# nothing\n", "---\n", "{}", "providers:\nmodels:\n"}) {
        const Config config = read(text);
        EXPECT_EQ(config.listen, "127.0.0.1:8080");
        EXPECT_EQ(config.data, "./data");
        EXPECT_EQ(config.threads, 0u);
        EXPECT_FALSE(config.tls);
        EXPECT_THAT(config.providers, IsEmpty());
        EXPECT_THAT(config.models, IsEmpty());
        EXPECT_EQ(config.default_model, "");
        EXPECT_EQ(config.dialect, "openai");
        EXPECT_EQ(config.id_prefix, "chatcmpl-");
        EXPECT_THAT(config.cors_origins, ElementsAre("*"));
        EXPECT_EQ(config.limits.request_body_bytes, 32u << 20);
        EXPECT_EQ(config.limits.request_header_bytes, 32u << 10);
        EXPECT_EQ(config.log_format, Config::LogFormat::automatic);
        EXPECT_EQ(config.log_level, "info");
    }
}

TEST(Config, ReadsTheServersSettings) {
    const Config config = read(R"(
listen: "[::1]:${PORT}"
data: /var/lib/runnel
threads: 4
tls: {cert: cert.pem, key: key.pem}
dialect: openai
id_prefix: run_
default_model: demo/echo
cors: {origins: ["https://app.example.com", "http://localhost:3000"]}
limits: {request_body: 10MB, request_header: 64KiB}
log: {format: json, level: debug}
)");
    EXPECT_EQ(config.listen, "[::1]:9000");
    EXPECT_EQ(config.data, "/var/lib/runnel");
    EXPECT_EQ(config.threads, 4u);
    ASSERT_TRUE(config.tls);
    EXPECT_EQ(config.tls->cert, "cert.pem");
    EXPECT_EQ(config.tls->key, "key.pem");
    EXPECT_EQ(config.id_prefix, "run_");
    EXPECT_EQ(config.default_model, "demo/echo");
    EXPECT_THAT(config.cors_origins,
                ElementsAre("https://app.example.com", "http://localhost:3000"));
    EXPECT_EQ(config.limits.request_body_bytes, 10'000'000u);
    EXPECT_EQ(config.limits.request_header_bytes, 65'536u);
    EXPECT_EQ(config.log_format, Config::LogFormat::json);
    EXPECT_EQ(config.log_level, "debug");
}

TEST(Config, ReadsProvidersInTheirOrder) {
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
    EXPECT_THAT(local.headers, ElementsAre(testing::Pair("X-Team", "blue"),
                                           testing::Pair("X-Note", "a ${price}")));
    EXPECT_EQ(local.timeouts.connect, 800ms);
    EXPECT_EQ(local.timeouts.first_token, 5min);
    EXPECT_EQ(local.timeouts.idle, 15s);
    EXPECT_EQ(local.timeouts.total, 1h);
    EXPECT_EQ(local.proxy, "http://user:pass@proxy.example.com:3128");
    EXPECT_THAT(config.providers[2].keys, ElementsAre(Secret("a"), Secret("b")));
    EXPECT_EQ(config.providers[3].api_version, "2024-10-21");
}

TEST(Config, ReadsModels) {
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
    dialect: openai
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
    EXPECT_EQ(operating.dialect, "openai");
    EXPECT_EQ(operating.defaults_json,
              R"({"temperature":0.20,"max_tokens":1000,"seed":"42","logprobs":false,"user":null,)"
              R"("stop":["END","1",1],"metadata":{"team":"blue","quoted \"key\"":1e3}})");
    EXPECT_EQ(config.default_model, "fast");
}

TEST(Config, WritesYamlsOwnNumbersAsJson) {
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

TEST(Config, NamesTheNearestKeyToAnUnknownOne) {
    EXPECT_EQ(problem("lisen: 127.0.0.1:80\n"), "1:1: unknown key 'lisen'; did you mean 'listen'?");
    EXPECT_EQ(problem("providers:\n  local: {kind: vllm, basurl: 'http://x'}\n"),
              "2:23: unknown key 'basurl' in providers.local; did you mean 'base_url'?");
    EXPECT_EQ(problem("models:\n  m:\n    targets: [demo/echo]\n    sytem: hi\n"),
              "4:5: unknown key 'sytem' in models.m; did you mean 'system'?");
    EXPECT_EQ(problem("log: {colour: red}\n"),
              "1:7: unknown key 'colour' in log; the keys here are format, level");
    EXPECT_EQ(
        problem("providers: {p: {kind: openai, retries: 3}}"),
        "1:31: unknown key 'retries' in providers.p; the keys here are kind, base_url, api_key, "
        "keys, headers, api_version, proxy, timeouts");
    EXPECT_EQ(problem("providers: {p: {kind: vllm, timeouts: {conect: 1s}}}"),
              "1:40: unknown key 'conect' in providers.p.timeouts; did you mean 'connect'?");
}

TEST(Config, ReportsEveryProblemInTheOrderOfTheFile) {
    EXPECT_THAT(
        problems("log: {level: loud}\nthreads: many\nlisten: here\n"),
        ElementsAre("1:14: log.level: 'loud' is not one of debug, info, warning, error, off",
                    "2:10: threads must be a whole number from 0 to 1024, not 'many'",
                    "3:9: listen must be an address such as 127.0.0.1:8080, [::1]:8080 or "
                    ":8080 for every interface, not 'here'"));
}

TEST(Config, ReportsKeysThatStandThereTwice) {
    EXPECT_EQ(problem("data: a\nlisten: :80\ndata: b\n"),
              "3:1: duplicate key 'data'; it is already in line 1");
    EXPECT_EQ(problem("providers:\n  p: {kind: vllm}\n  p: {kind: openai}\n"),
              "3:3: duplicate key 'p' in providers; it is already in line 2");
    EXPECT_EQ(problem("models: {m: {targets: [demo/echo], defaults: {a: {b: 1, b: 2}}}}"),
              "1:57: duplicate key 'b' in models.m.defaults.a; it is already in line 1");
}

TEST(Config, ReportsValuesOfTheWrongType) {
    EXPECT_EQ(problem("listen: [a]\n"), "1:9: listen must be text, not a list");
    EXPECT_EQ(problem("data: {a: b}\n"), "1:7: data must be text, not a map");
    EXPECT_EQ(problem("data:\n"), "2:1: data must be text, not empty");
    EXPECT_EQ(problem("data: ''\n"), "1:7: data must be a text that is not empty, not ''");
    EXPECT_EQ(problem("providers: [a]\n"),
              "1:12: providers must be a map of keys and values, not a list");
    EXPECT_EQ(problem("providers: {p: openai}\n"),
              "1:16: providers.p must be a map of keys and values, not 'openai'");
    EXPECT_EQ(problem("tls: on\n"), "1:6: tls must be a map of keys and values, not 'on'");
    EXPECT_EQ(problem("- a\n"), "1:1: the file must be a map of keys and values, not a list");
    EXPECT_EQ(problem("hello\n"), "1:1: the file must be a map of keys and values, not 'hello'");
    EXPECT_EQ(problem("cors: {origins: '*'}\n"), "1:17: cors.origins must be a list, not '*'");
    EXPECT_EQ(problem("? [a]\n: b\n"), "1:3: a key must be text, not a list");
    EXPECT_EQ(problem("threads: 1.5\n"),
              "1:10: threads must be a whole number from 0 to 1024, not '1.5'");
    EXPECT_EQ(problem("threads: 5000\n"),
              "1:10: threads must be a whole number from 0 to 1024, not '5000'");
    EXPECT_EQ(problem("data: !!binary aGk=\n"),
              "1:7: a YAML tag other than !!str is not understood");
}

TEST(Config, FillsInVariablesAndNamesThoseNotSet) {
    EXPECT_EQ(read("data: a${PORT}b${EMPTY}c\n").data, "a9000bc");
    EXPECT_EQ(read("data: $HOME/$${PORT}/$\n").data, "$HOME/${PORT}/$");
    EXPECT_EQ(read("threads: ${EMPTY}8\n").threads, 8u);
    EXPECT_EQ(problem("providers: {p: {kind: openai, api_key: \"${MY_KEY}\"}}"),
              "1:40: providers.p.api_key: the environment variable MY_KEY is not set");
    EXPECT_EQ(problem("data: ${PORT\n"),
              "1:7: data: '${' without a '}' behind it; write $${ for the text itself");
    EXPECT_EQ(
        problem("data: ${PORT:-80}\n"),
        "1:7: data: '${PORT:-80}' does not name an environment variable; write $${ for the text "
        "itself");
    EXPECT_THAT(problem("models: {m: {targets: [demo/echo], defaults: {user: '${NOBODY}'}}}"),
                HasSubstr("models.m.defaults.user: the environment variable NOBODY is not set"));
}

TEST(Config, ShowsNoValueOfAVariable) {
    EXPECT_EQ(provider_problem("base_url: ${OPENAI_API_KEY}"),
              "4:15: providers.p.base_url must be a URL such as https://api.example.com/v1, not "
              "'${OPENAI_API_KEY}'");
    EXPECT_EQ(
        provider_problem("api_key: ${TWO_LINES}"),
        "4:14: providers.p.api_key: a key cannot have line breaks or other control characters in "
        "it");
    EXPECT_EQ(
        problem("log: {level: '${OPENAI_API_KEY}'}"),
        "1:14: log.level: '${OPENAI_API_KEY}' is not one of debug, info, warning, error, off");
    EXPECT_THAT(problem("models: {m: {targets: ['${OPENAI_API_KEY}']}}"),
                HasSubstr("'${OPENAI_API_KEY}'"));
    EXPECT_THAT(problem("models: {m: {targets: ['${OPENAI_API_KEY}/x']}}"),
                HasSubstr("no provider is named '${OPENAI_API_KEY}'"));
}

TEST(Config, ReportsBadProviders) {
    EXPECT_THAT(
        problem("providers: {p: {kind: opnai}}"),
        testing::AllOf(testing::StartsWith("1:23: providers.p.kind: 'opnai' is not one of "),
                       testing::EndsWith("; did you mean 'openai'?")));
    EXPECT_THAT(
        problem("providers: {p: {api_key: k}}"),
        testing::StartsWith("1:13: providers.p: kind is missing; it is one of anthropic, "));
    EXPECT_THAT(
        problem("providers:\n  local: {kind: openai-compatible}\n"),
        testing::AllOf(testing::StartsWith("2:3: providers.local: "), HasSubstr("base_url")));
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

TEST(Config, ReportsBadProviderSettings) {
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

TEST(Config, ReportsModelsThatCanNeverRoute) {
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

TEST(Config, ReportsAProviderOnceAndNotItsTargetsToo) {
    EXPECT_THAT(problem("providers: {p: {kind: opnai}}\nmodels: {m: {targets: [p/x]}}\n"),
                HasSubstr("providers.p.kind"));
}

TEST(Config, ReportsBadModels) {
    for (const char* name : {"''", "'a b'", "'@a'", "/a", "'a\"b'", "é"})
        EXPECT_THAT(problem("models: {" + std::string(name) + ": {targets: [demo/echo]}}"),
                    HasSubstr("a model's name begins with a letter or digit"))
            << name;
    const auto with = [](const std::string& field) {
        return problem("models: {m: {targets: [demo/echo], " + field + "}}");
    };
    EXPECT_EQ(with("strategy: weighted"),
              "1:46: models.m.strategy: 'weighted' is not supported yet; there is failover");
    EXPECT_EQ(with("strategy: least-latency"),
              "1:46: models.m.strategy: 'least-latency' is not supported yet; there is failover");
    EXPECT_EQ(
        with("strategy: failovr"),
        "1:46: models.m.strategy: 'failovr' is not one of failover; did you mean 'failover'?");
    EXPECT_THAT(with("dialect: agent"),
                HasSubstr("models.m.dialect: 'agent' is not supported yet"));
    EXPECT_THAT(with("dialect: klingon"),
                HasSubstr("models.m.dialect: 'klingon' is not one of openai"));
    EXPECT_EQ(with("defaults: {stream: true}"),
              "1:47: models.m.defaults.stream: each request says this for itself; it cannot have a "
              "default");
    EXPECT_THAT(with("defaults: {top_p: .nan}"), HasSubstr("must be a number that JSON can write"));
    EXPECT_THAT(with("defaults: {top_p: 1e999}"),
                HasSubstr("must be a number that JSON can write"));
    EXPECT_THAT(with("defaults: [a]"), HasSubstr("models.m.defaults must be a map"));
}

TEST(Config, ReportsADefaultModelThatNothingServes) {
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

TEST(Config, ReportsAProviderOnceAndNotTheDefaultModelToo) {
    EXPECT_THAT(
        problem("providers: {o: {kind: openai, api_key: '${NOT_SET}'}}\ndefault_model: gpt-5\n"),
        HasSubstr("NOT_SET is not set"));
}

TEST(Config, ReportsBadServerSettings) {
    for (const char* address :
         {"8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "1.2.3:80", "::1:8080", "[::1]",
          "example.com:80", "127.0.0.1:80x", "1.2.3.4.5:80"})
        EXPECT_THAT(problem(std::string("listen: '") + address + "'"), HasSubstr("listen must be"))
            << address;
    for (const char* address : {":8080", "*:80", "localhost:0", "0.0.0.0:8080", "[::]:65535"})
        EXPECT_EQ(read("listen: '" + std::string(address) + "'").listen, address);
    EXPECT_EQ(problem("tls: {cert: c.pem}"),
              "1:6: tls: key is missing; TLS needs a cert and a key, as PEM files");
    EXPECT_EQ(problem("tls: {key: k.pem}"),
              "1:6: tls: cert is missing; TLS needs a cert and a key, as PEM files");
    EXPECT_EQ(
        problem("limits: {request_body: 10}"),
        "1:24: limits.request_body must be a size such as 256KiB, 32MiB or 10MB, from 1KiB to "
        "1048576KiB, not '10'");
    EXPECT_EQ(problem("log: {format: xml}"),
              "1:15: log.format: 'xml' is not one of auto, json, text");
    EXPECT_THAT(problem("id_prefix: 'a/b'"), HasSubstr("id_prefix must be up to 32 letters"));
    EXPECT_THAT(
        problem("cors: {origins: ['https://a.com/x']}"),
        HasSubstr("cors.origins[0] must be an origin such as https://app.example.com, or *"));
    EXPECT_THAT(read("cors: {origins: []}").cors_origins, IsEmpty());
}

TEST(Config, ReportsWhereTheFileIsNotYaml) {
    EXPECT_EQ(
        problem("a: b: c\n"),
        "1:5: not YAML: a ':' where no key can be: check the indentation, and quote text that has "
        "': ' in it");
    EXPECT_EQ(problem("log:\n\tlevel: info\n"),
              "2:7: not YAML: a tab in the indentation: use spaces");
    EXPECT_EQ(problem("cors: {origins: [a, b}\n"),
              "1:22: not YAML: this bracket closes none that is open");
    EXPECT_EQ(problem("cors: {origins: [a, b]\nlog: {}\n"),
              "2:1: not YAML: a '{' is not closed, or a ',' is missing before this");
    EXPECT_EQ(problem("data: 'open\nlisten: :80\n"),
              "3:2: not YAML: the file ends inside a quoted text");
    EXPECT_EQ(
        problem("data: \"C:\\\xC3\xA9\"\n"),
        "1:12: not YAML: an unknown escape: write \\\\ for a backslash, or use single quotes");
    EXPECT_EQ(problem("data: @x\n"),
              "1:7: not YAML: no value can begin with this character: quote the text");
    EXPECT_EQ(problem("data: a\n---\ndata: b\n"),
              "2:1: a second YAML document begins here; a config file is one document");
    EXPECT_EQ(problem("data: *nobody\n"),
              "1:7: not YAML: no anchor of this name comes before the alias");
}

TEST(Config, KeepsABlockOfTextAtTheEndOfTheFile) {
    constexpr std::string_view begin = "models:\n  m:\n    targets: [demo/echo]\n    system: ";
    const auto system_of = [&](std::string_view text) {
        return read(std::string(begin) + std::string(text)).models.at(0).system;
    };
    EXPECT_EQ(system_of("|\n      one\n      two\n"), "one\ntwo\n");
    EXPECT_EQ(system_of("|-\n      one\n"), "one");
    EXPECT_EQ(system_of("|+\n      one\n\n"), "one\n\n");
    EXPECT_EQ(system_of("one\n      two\n"), "one two");
}

TEST(Config, TakesAliases) {
    const Config config = read(R"(
providers:
  a: &local
    kind: vllm
    base_url: http://127.0.0.1:1/v1
  b: *local
)");
    ASSERT_EQ(config.providers.size(), 2u);
    EXPECT_EQ(config.providers[1].name, "b");
    EXPECT_EQ(config.providers[1].base_url, "http://127.0.0.1:1/v1");
}

TEST(Config, IsNotBlownUpByAliases) {
    std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string inner = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + inner;
        for (int n = 0; n < 9; ++n) laughs += ", " + inner;
        laughs += "]\n";
    }
    EXPECT_THAT(problem(laughs), HasSubstr("anchors and aliases make the file too large"));
    std::string nested;
    for (int i = 0; i < 60; ++i) nested += "&a" + std::to_string(i) + " [";
    for (int i = 0; i < 100'000; ++i) nested += "x,";
    EXPECT_THAT(problem(nested + std::string(60, ']')),
                HasSubstr("anchors and aliases make the file too large"));
    EXPECT_THAT(problem("a: &a [*a]\n"), HasSubstr("an alias stands inside what it names"));
}

TEST(Config, BoundsDepthAndSize) {
    for (const char* bracket : {"[", "{", "- ", "? ", "{a: "}) {
        std::string deep;
        while (deep.size() < 100'000) deep += bracket;
        EXPECT_THAT(problem(deep), HasSubstr("nested deeper than 64 levels")) << bracket;
    }
    std::string chain = "a0: &a0 [x]\n";
    for (int i = 1; i < 100; ++i)
        chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" +
                 std::to_string(i - 1) + "]\n";
    EXPECT_THAT(problem(chain), HasSubstr("nested deeper than 64 levels"));
    EXPECT_EQ(problem(std::string(2 << 20, ' ')), "1:1: the file is larger than 1 MiB");
}

TEST(Config, RefusesWhatIsNotText) {
    EXPECT_EQ(problem("data: a\nlisten: \xff\n"), "2:9: byte 0xff: not UTF-8");
    EXPECT_EQ(problem("data: a\x04\n"), "1:8: byte 0x04: control characters are not allowed");
    EXPECT_EQ(problem(std::string_view("data: \0\n", 8)),
              "1:7: byte 0x00: control characters are not allowed");
    EXPECT_EQ(problem("data: \"a\\Nb\"\n"), "1:7: the escapes \\N and \\_ are not understood");
    EXPECT_EQ(read("data: caf\xc3\xa9\r\n").data, "café");
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "data: x\n")
                  .data,
              "x");
}

TEST(Config, KeepsAProblemOnOneLine) {
    EXPECT_EQ(problem("\"a\\nb\": 1\n").find('\n'), std::string::npos);
    EXPECT_LT(problem(std::string(100'000, 'x') + ": 1\n").size(), 400u);
}

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

}  // namespace
}  // namespace runnel::config
