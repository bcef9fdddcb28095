#include "access/key_form.hpp"

#include "access/key_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::access {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr UtcTime now(1'800'000'000s);
constexpr std::string_view dialects[] = {"openai", "agent"};

const AuthSettings auth;
const KeyFormRules rules{dialects, &auth, {"no-pii"}};

Result<Key> made(std::string_view body) {
    IdSource ids(1);
    return read_new_key(body, rules, now, &ids);
}

// "field: message" of the refusal.
std::string refusal(std::string_view body) {
    const auto key = made(body);
    if (key) return "taken";
    return key.error().param + ": " + key.error().message;
}

Key changed(Key key, std::string_view body, std::string* error = nullptr) {
    const auto done = change_key(&key, body, rules, now + 1s);
    if (!done && error != nullptr) *error = done.error().message;
    EXPECT_EQ(done.has_value(), error == nullptr);
    return key;
}

TEST(KeyForm, AKeyMayHaveNothingSaidOfIt) {
    const auto key = made("");
    ASSERT_TRUE(key);
    EXPECT_TRUE(is_key_id(key->id));
    EXPECT_THAT(key->scopes, ElementsAre("*"));
    EXPECT_TRUE(key->enabled && key->models.empty() && !key->expires_at && !key->budget);
    EXPECT_EQ(key->created_at, now);
    EXPECT_EQ(key->hash, "");
}

TEST(KeyForm, EverythingCanBeSaid) {
    const auto key = made(R"({
        "name": "Ann’s laptop", "kind": "secret", "team": "blue", "enabled": false,
        "scopes": ["chat:write", "models:read"], "models": ["fast", "openai/*"], "tools": ["files"],
        "expires_at": "2027-02-01T00:00:00+01:00",
        "origins": ["HTTPS://App.example.com", "http://localhost:3000"],
        "addresses": ["10.0.0.0/8", "2001:db8::/32"],
        "wallet": "0x00000000000000000000000000000000000A11CE", "dialect": "agent",
        "limits": {"rpm": 1, "rpd": 2, "tpm": 3, "tpd": 4, "concurrency": 0},
        "model_limits": {"fast": {"rpm": 5}}, "budget": {"usd": 1.5, "period": "week"},
        "guardrails": ["no-pii"], "keeps_content": true, "may_cache": false,
        "metadata": {"cost center": [1, null]}})");
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_THAT(key_json(*key, Secret("rk-1")), HasSubstr(R"("key":"rk-1")"));
    const std::string shown = key_json(*key);
    EXPECT_EQ(shown.substr(shown.find(R"("name")")),
              R"("name":"Ann’s laptop","kind":"secret","team":"blue","enabled":false,)"
              R"("scopes":["chat:write","models:read"],"models":["fast","openai/*"],)"
              R"("tools":["files"],)"
              R"("expires_at":"2027-01-31T23:00:00Z",)"
              R"("origins":["https://app.example.com","http://localhost:3000"],)"
              R"("addresses":["10.0.0.0/8","2001:db8::/32"],)"
              R"("wallet":"0x00000000000000000000000000000000000a11ce","dialect":"agent",)"
              R"("limits":{"rpm":1,"rpd":2,"tpm":3,"tpd":4,"concurrency":0},)"
              R"("model_limits":{"fast":{"rpm":5}},"budget":{"usd":1.5,"period":"week"},)"
              R"("guardrails":["no-pii"],"keeps_content":true,"may_cache":false,)"
              R"("metadata":{"cost center":[1,null]},"old_key_until":null,)"
              R"("created_at":"2027-01-15T08:00:00Z","updated_at":"2027-01-15T08:00:00Z"})");
}

// What is shown of one key makes another with the same rules.
TEST(KeyForm, WhatIsShownCanBeSaidAgain) {
    const auto key =
        made(R"({"name":"a","limits":{"rpm":3},"budget":{"usd":0},"expires_at":null})");
    std::string body = key_json(*key);
    body = "{" + body.substr(body.find(R"("name")"));
    body = body.substr(0, body.find(R"(,"old_key_until)")) + "}";
    auto again = made(body);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *key);
}

TEST(KeyForm, WrongFieldsAreNamed) {
    const std::pair<const char*, const char*> table[] = {
        {R"({"nmae": "x"})", "nmae: there is no field 'nmae'; did you mean 'name'?"},
        {R"({"rpm": 3})", "rpm: there is no field 'rpm'"},
        {R"({"id": "key_1"})", "id: there is no field 'id'"},
        {R"({"hash": ""})", "hash: there is no field 'hash'"},
        {R"({"name": 3})", "name: name must be a string, not 3"},
        {R"({"name": "a\nb"})", "name: name has control characters in it"},
        {R"({"kind": "public"})", "kind: kind must be one of secret, browser, not 'public'"},
        {R"({"scopes": ["chat"]})", "scopes[0]: scopes[0] must be one of chat:write"},
        {R"({"scopes": ["chat:write", "admin"]})", "scopes[1]: "},
        {R"({"scopes": "chat:write"})", "scopes: scopes must be an array"},
        {R"({"scopes": []})", "scopes: scopes must have a scope at least"},
        {R"({"models": ["a*b"]})", "models[0]: models[0] must be a model's name"},
        {R"({"models": [""]})", "models[0]: "},
        {R"({"tools": [""]})", "tools[0]: tools[0] must be the name of a tool"},
        {R"({"tools": "files"})", "tools: "},
        {R"({"expires_at": "2020-01-01T00:00:00Z"})", "expires_at: expires_at is over already"},
        {R"({"expires_at": 1800000000})", "expires_at: expires_at is over already"},
        {R"({"expires_at": "tomorrow"})", "expires_at: expires_at must be a time such as"},
        {R"({"expires_at": -1})", "expires_at: expires_at must be a time such as"},
        {R"({"addresses": ["10.0.0.0/33"]})", "addresses[0]: addresses[0] must be an IP address"},
        {R"({"addresses": ["localhost"]})", "addresses[0]: "},
        {R"({"origins": ["app.example.com"]})", "origins[0]: origins[0] must be an origin"},
        {R"({"origins": ["https://app.example.com/"]})", "origins[0]: "},
        {R"({"origins": ["*"]})", "origins[0]: "},
        {R"({"wallet": "0x1"})", "wallet: wallet must be 0x and 40 hexadecimal digits"},
        {R"({"dialect": "klingon"})", "dialect: dialect must be one of openai, agent"},
        {R"({"limits": {"rpm": -1}})", "limits.rpm: limits.rpm must be a whole number"},
        {R"({"limits": {"rpm": 1.5}})", "limits.rpm: "},
        {R"({"limits": {"rps": 1}})", "limits.rps: limits.rps is not known"},
        {R"({"limits": 3})", "limits: limits must be an object"},
        {R"({"model_limits": {"m": {"tpm": "1"}}})", "model_limits.m.tpm: "},
        {R"({"model_limits": {"m*": {}}})", "model_limits.m*: model_limits.m* must be under"},
        {R"({"budget": {"usd": -0.01}})", "budget.usd: budget.usd must be a number from 0"},
        {R"({"budget": {"usd": 1, "period": "year"}})", "budget.period: "},
        {R"({"budget": {"period": "day"}})", "budget: budget needs usd"},
        {R"({"budget": {"eur": 1}})", "budget.eur: "},
        {R"({"guardrails": ["no-pi"]})", "guardrails[0]: guardrails[0] names no guardrail"},
        {R"({"enabled": "yes"})", "enabled: enabled must be true or false"},
        {R"({"metadata": "x"})", "metadata: metadata must be an object"},
        {R"([])", ": the body must be a JSON object"},
        {R"({"name":)", ": the body is not valid JSON"},
    };
    for (const auto& [body, message] : table)
        EXPECT_THAT(refusal(body), HasSubstr(message)) << body;
    EXPECT_THAT(refusal(R"({"metadata":{"a":")" + std::string(20'000, 'x') + "\"}}"),
                HasSubstr("metadata: metadata is longer than"));
    EXPECT_THAT(refusal(R"({"name":")" + std::string(129, 'x') + "\"}"), HasSubstr("name: "));
}

TEST(KeyForm, ABrowserKeyReadsNoLogs) {
    EXPECT_THAT(made(R"({"kind":"browser"})")->scopes, ElementsAre("chat:write", "models:read"));
    for (const char* scope : {"*", "logs:read", "usage:read", "tools:execute"}) {
        const std::string scopes = std::string(R"("scopes":[")") + scope + "\"]";
        EXPECT_THAT(refusal(R"({"kind":"browser",)" + scopes + "}"),
                    HasSubstr("scopes: scopes of a browser key are chat:write and models:read"));
        EXPECT_EQ(refusal("{" + scopes + "}"), "taken");
    }
}

TEST(KeyForm, AChangeLeavesTheRestAlone) {
    const Key key = *made(R"({"name":"a","team":"t","limits":{"rpm":1,"tpm":2},
        "model_limits":{"x":{"rpm":1},"y":{"rpm":2}},"budget":{"usd":1,"period":"day"}})");
    EXPECT_EQ(changed(key, "{}").name, "a");
    EXPECT_EQ(changed(key, "{}").updated_at, now + 1s);
    EXPECT_EQ(changed(key, R"({"name":"b"})").team, "t");
    const Key limits = changed(key, R"({"limits":{"rpm":9},"model_limits":{"x":{"tpd":3}}})");
    EXPECT_EQ(limits.limits, (RateLimits{.rpm = 9, .tpm = 2}));
    EXPECT_EQ(limits.model_limits[0].second, (RateLimits{.rpm = 1, .tpd = 3}));
    EXPECT_EQ(limits.model_limits.size(), 2u);
    EXPECT_EQ(changed(key, R"({"budget":{"usd":5}})").budget,
              (Budget{Money::from_usd(5), Budget::Period::day}));
    EXPECT_EQ(changed(key, R"({"budget":{"period":"week"}})").budget,
              (Budget{Money::from_usd(1), Budget::Period::week}));
}

TEST(KeyForm, NullTakesAway) {
    const Key key =
        *made(R"({"team":"t","models":["m"],"tools":[],"expires_at":"2027-02-01T00:00:00Z",
        "limits":{"rpm":1,"tpm":2},"model_limits":{"x":{"rpm":1},"y":{"rpm":2}},
        "budget":{"usd":1},"metadata":{"a":1}})");
    EXPECT_EQ(key.tools, std::vector<std::string>());
    EXPECT_EQ(changed(key, R"({"limits":{"rpm":null}})").limits, (RateLimits{.tpm = 2}));
    EXPECT_EQ(changed(key, R"({"model_limits":{"x":null,"z":null}})").model_limits.size(), 1u);
    const Key bare =
        changed(key, R"({"team":null,"models":null,"tools":null,"expires_at":null,"limits":null,
        "model_limits":null,"budget":null,"metadata":null})");
    Key expected = *made("{}");
    expected.updated_at = bare.updated_at;
    EXPECT_EQ(bare, expected);
}

TEST(KeyForm, AChangeThatFailsChangesNothing) {
    const Key key = *made(R"({"name":"a"})");
    for (const char* body :
         {R"({"name":"b","limits":{"rpm":-1}})", R"({"name":"b","kind":"browser"})",
          R"({"name":"b","scopes":[]})", R"({"name":"b","what":1})", "nope"}) {
        std::string error;
        EXPECT_EQ(changed(key, body, &error), key) << body;
        EXPECT_FALSE(error.empty());
    }
    EXPECT_EQ(changed(key, R"({"kind":"secret"})").kind, Key::Kind::secret);
}

TEST(KeyForm, IdsSortByTime) {
    IdSource ids;
    std::string before;
    for (int i = 0; i < 1000; ++i) {
        std::string id = new_key_id(now + i * 7ms, &ids);
        EXPECT_TRUE(is_key_id(id));
        EXPECT_LT(before, id);
        before = std::move(id);
    }
    for (const char* text : {"", "key_", "key_0", "KEY_000000000000000000000000",
                             "key_00000000000000000000000A", "key_0000000000000000000000000"})
        EXPECT_FALSE(is_key_id(text)) << text;
}

}  // namespace
}  // namespace runnel::access
