#include "access/key_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace runnel::access {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr UtcTime now(1'800'000'000s);

Key any_key() { return {.id = "k", .scopes = {"*"}}; }

// "ok", or the code and message of the refusal.
std::string visit(const Key& key, const Visit& visit = {Scope::chat_write, "192.0.2.1"},
                  UtcTime at = now) {
    const auto allowed = may_visit(key, visit, at);
    if (allowed) return "ok";
    return std::string(shape_of(allowed.error().kind).code) + ": " + allowed.error().message;
}

TEST(KeyCheck, ADisabledKeyIsNotTaken) {
    Key key = any_key();
    EXPECT_EQ(visit(key), "ok");
    key.enabled = false;
    EXPECT_THAT(visit(key), HasSubstr("invalid_api_key: this key is disabled"));
}

TEST(KeyCheck, AnExpiredKeyIsNotTaken) {
    Key key = any_key();
    key.expires_at = now;
    EXPECT_EQ(visit(key, {Scope::chat_write}, now - 1ms), "ok");
    EXPECT_EQ(visit(key), "expired_api_key: this key expired at 2027-01-15T08:00:00Z; ask for a "
                          "new one");
}

TEST(KeyCheck, AKeyIsGoodForItsScopes) {
    Key key = any_key();
    for (std::size_t i = 0; i < scope_names.size(); ++i) {
        key.scopes = {std::string(scope_names[i])};
        for (std::size_t j = 0; j < scope_names.size(); ++j)
            EXPECT_EQ(may_visit(key, {static_cast<Scope>(j)}, now).has_value(), i == j);
    }
    key.scopes = {"models:read", "logs:read"};
    EXPECT_EQ(visit(key), "insufficient_scope: this key lacks the scope chat:write; it has "
                          "models:read, logs:read");
    key.scopes = {};
    EXPECT_THAT(visit(key), HasSubstr("insufficient_scope"));
}

TEST(KeyCheck, ABrowsersKeyIsForChatWhateverItsScopesSay) {
    Key key = any_key();
    key.kind = Key::Kind::browser;
    EXPECT_EQ(visit(key), "ok");
    EXPECT_EQ(visit(key, {Scope::models_read}), "ok");
    for (const Scope scope : {Scope::tools_execute, Scope::logs_read, Scope::usage_read})
        EXPECT_THAT(visit(key, {scope}), HasSubstr("public_key_restricted: a browser key is for"));
}

TEST(KeyCheck, AKeyMayBeTiedToAddresses) {
    Key key = any_key();
    key.addresses = {"10.0.0.0/8", "2001:db8::/32", "192.0.2.7"};
    const auto from = [&](std::string_view address) {
        return visit(key, {Scope::chat_write, address}) == "ok";
    };
    EXPECT_TRUE(from("10.255.0.1") && from("::ffff:10.1.1.1") && from("192.0.2.7"));
    EXPECT_TRUE(from("2001:db8:1::1"));
    EXPECT_FALSE(from("11.0.0.1") || from("192.0.2.8") || from("2001:db9::1") || from(""));
    EXPECT_THAT(visit(key), HasSubstr("address_not_allowed: this key is not for requests from "
                                      "192.0.2.1"));
    key.addresses = {"what is this"};
    EXPECT_FALSE(from("10.0.0.1"));
}

TEST(KeyCheck, AKeyMayBeTiedToOrigins) {
    Key key = any_key();
    key.origins = {"https://app.example.com"};
    const auto from = [&](std::string_view origin) {
        return visit(key, {Scope::chat_write, "", origin});
    };
    EXPECT_EQ(from("https://app.example.com"), "ok");
    EXPECT_THAT(from("https://app.example.com.evil.test"),
                HasSubstr("origin_not_allowed: this key is not for pages of https://app.ex"));
    EXPECT_THAT(from(""), HasSubstr("origin_not_allowed: this key is for the pages"));
    EXPECT_THAT(from("null"), HasSubstr("origin_not_allowed"));
}

TEST(KeyCheck, AKeyMayBeTiedToModels) {
    Key key = any_key();
    const auto has = [&](std::vector<std::string> names) { return has_model(key, names); };
    EXPECT_TRUE(has({"anything"}));
    key.models = {"fast", "openai/*"};
    EXPECT_TRUE(has({"fast"}) && has({"gpt-5", "openai/gpt-5"}) && has({"openai/"}));
    EXPECT_FALSE(has({"faster"}) || has({"fas"}) || has({"xopenai/gpt-5"}) || has({"openai"}));
    EXPECT_FALSE(has({}));
    EXPECT_EQ(model_refused("slow").param, "model");
}

// Against the plainest meaning of a trailing star.
TEST(KeyCheck, AStarStandsForAnyEnding) {
    std::mt19937 random(3);
    const auto word = [&] {
        std::string text(random() % 4, 'a');
        for (char& c : text) c = "ab/"[random() % 3];
        return text;
    };
    for (int i = 0; i < 20000; ++i) {
        const std::string pattern = word(), model = word();
        EXPECT_EQ(matches(pattern, model), pattern == model);
        EXPECT_EQ(matches(pattern + "*", model), model.find(pattern) == 0);
    }
}

chat::Request request_with(std::initializer_list<const char*> fields) {
    chat::Request request;
    request.field_names.assign(fields.begin(), fields.end());
    return request;
}

TEST(KeyCheck, ABrowsersRequestHasPlainFieldsOnly) {
    auto plain =
        request_with({"model", "messages", "prompt", "temperature", "top_p", "top_k", "seed",
                      "tools", "reasoning_effort", "max_completion_tokens", "stream"});
    EXPECT_TRUE(check_browser_request(plain));
    for (const char* name : {"fallback", "max_tokens", "stream_options", "metadata", "retries",
                             "response_format", "n", "Model", ""}) {
        const auto checked = check_browser_request(request_with({"model", name}));
        ASSERT_FALSE(checked) << name;
        EXPECT_EQ(checked.error().kind, ErrorKind::unsupported_parameter);
        EXPECT_EQ(checked.error().param, name);
    }
}

TEST(KeyCheck, ABrowsersWishForTheGatewaysToolsIsNoReasonToRefuse) {
    EXPECT_TRUE(check_browser_request(request_with({"model", "builtin_tools"})));
}

}  // namespace
}  // namespace runnel::access
