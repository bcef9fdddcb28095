#include "config/config.hpp"

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
using testing::problems;
using testing::provider_problem;
using testing::read;

TEST(Config, HasAPolicyForEveryModel) {
    const auto policy =
        read("policy: {retries: 1, timeout: 20s, timeouts: {idle: 5s}, hedge: {after: 800ms}, "
             "midstream: verified, failover_scope: round}")
            .policy;
    EXPECT_EQ(policy.retries, 1);
    EXPECT_EQ(policy.timeout, 20s);
    EXPECT_EQ(policy.timeouts.idle, 5s);
    EXPECT_EQ(policy.hedge_after, 800ms);
    EXPECT_EQ(policy.midstream, router::Midstream::verified);
    EXPECT_EQ(policy.failover_scope, router::FailoverScope::round);
    EXPECT_EQ(problem("policy: {strategy: weighted}"),
              "1:10: unknown key 'strategy' in policy; the keys here are retries, timeout, "
              "timeouts, hedge, "
              "midstream, failover_scope");
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
        EXPECT_THAT(config.cors_origins, IsEmpty());
        EXPECT_THAT(config.hosts, IsEmpty());
        EXPECT_EQ(config.limits.request_body_bytes, 32u << 20);
        EXPECT_EQ(config.limits.request_header_bytes, 32u << 10);
        EXPECT_EQ(config.limits.concurrent, 20'000u);
        EXPECT_EQ(config.limits.queue, 1'000u);
        EXPECT_EQ(config.limits.queue_time, 1s);
        EXPECT_EQ(config.ping, 15s);
        EXPECT_EQ(config.drain_timeout, 30s);
        EXPECT_TRUE(config.admin_token.empty());
        EXPECT_THAT(config.aliases, IsEmpty());
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
limits: {request_body: 10MB, request_header: 64KiB, concurrent: 50, queue: 0, queue_time: 250ms,
         head_time: 5s, body_time: 1m, memory: 2GiB}
ping: 5s
drain_timeout: 2m
admin: {token: "${OPENAI_API_KEY}"}
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
    EXPECT_EQ(config.limits.head_time, 5s);
    EXPECT_EQ(config.limits.body_time, 1min);
    EXPECT_EQ(config.limits.concurrent, 50u);
    EXPECT_EQ(config.limits.queue, 0u);
    EXPECT_EQ(config.limits.queue_time, 250ms);
    EXPECT_EQ(config.limits.memory_bytes, std::size_t{2} << 30);
    EXPECT_EQ(config.ping, 5s);
    EXPECT_EQ(config.drain_timeout, 2min);
    EXPECT_EQ(config.admin_token.reveal(), "sk-from-the-environment");
    EXPECT_EQ(config.log_format, Config::LogFormat::json);
    EXPECT_EQ(config.log_level, "debug");
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
        problem("providers: {p: {kind: openai, colour: red}}"),
        "1:31: unknown key 'colour' in providers.p; the keys here are kind, base_url, api_key, "
        "keys, headers, api_version, proxy, timeouts, retries, concurrent, models, region, "
        "project, location, api, guardrail, credentials");
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

TEST(Config, ReportsBadServerSettings) {
    for (const char* address :
         {"8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "1.2.3:80", "::1:8080", "[::1]",
          "example.com:80", "127.0.0.1:80x", "1.2.3.4.5:80"})
        EXPECT_THAT(problem(std::string("listen: '") + address + "'"), HasSubstr("listen must be"))
            << address;
    for (const char* address : {":8080", "*:80", "localhost:0", "0.0.0.0:8080", "[::]:65535"})
        EXPECT_EQ(read("auth: {mode: keys}\nlisten: '" + std::string(address) + "'").listen,
                  address);
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
    EXPECT_THAT(read("cors: {origins: ['HTTPS://App.example.com:443', '*']}").cors_origins,
                ElementsAre("https://app.example.com", "*"));
    EXPECT_THAT(read("hosts: [Gateway.internal]").hosts, ElementsAre("gateway.internal"));
    EXPECT_THAT(problem("hosts: ['gateway.internal:80']"), HasSubstr("hosts[0] must be a name"));
}

TEST(Config, TakesPingsThatAreOff) {
    for (const char* none : {"off", "0", "0s", "'off'"})
        EXPECT_EQ(read("ping: " + std::string(none)).ping, 0s) << none;
    EXPECT_EQ(read("ping: 200ms").ping, 200ms);
    EXPECT_EQ(problem("ping: 15"),
              "1:7: ping must be a time such as 15s, from 10ms to 1h, or off, not '15'");
    EXPECT_THAT(problem("ping: 1ms"), HasSubstr("ping must be a time"));
    EXPECT_THAT(problem("ping: never"), HasSubstr("ping must be a time"));
}

TEST(Config, ReportsBadLimits) {
    EXPECT_EQ(problem("limits: {concurrent: 0}"),
              "1:22: limits.concurrent must be a whole number from 1 to 1000000, not '0'");
    EXPECT_EQ(problem("limits: {body_time: 0}"),
              "1:21: limits.body_time must be a time such as 800ms, 15s, 5m or 1h, from 1s to "
              "10m, not '0'");
    EXPECT_EQ(problem("limits: {queue_time: 2m}"),
              "1:22: limits.queue_time must be a time such as 800ms, 15s, 5m or 1h, from 0ms to "
              "1m, not '2m'");
    EXPECT_THAT(problem("limits: {memory: 1MiB}"), HasSubstr("limits.memory must be"));
    EXPECT_EQ(problem("limits: {que: 5}"),
              "1:10: unknown key 'que' in limits; did you mean 'queue'?");
    EXPECT_THAT(problem("drain_timeout: 30"), HasSubstr("drain_timeout must be a time"));
    EXPECT_EQ(read("drain_timeout: 0s").drain_timeout, 0s);
}

TEST(Config, ReportsATokenThatNobodyCouldSend) {
    for (const char* token : {"", "a b", "${EMPTY}", "${TWO_LINES}", "\xC3\xA9"}) {
        const std::string message = problem("admin: {token: \"" + std::string(token) + "\"}");
        EXPECT_THAT(message, HasSubstr("admin.token: a token has letters")) << token;
    }
    const std::string short_one = problem("admin: {token: hunter2-hunter2}");
    EXPECT_THAT(short_one, HasSubstr("admin.token: a token has at least 16 characters"));
    EXPECT_THAT(short_one, HasSubstr("openssl rand -hex 32"));
    EXPECT_THAT(short_one, ::testing::Not(HasSubstr("hunter2")));
    EXPECT_EQ(problem("admin: {tokn: x}"),
              "1:9: unknown key 'tokn' in admin; did you mean 'token'?");
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

}  // namespace
}  // namespace runnel::config
