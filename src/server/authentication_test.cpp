#include "server/authentication.hpp"

#include "access/key_secret.hpp"
#include "server/cors.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using namespace std::chrono_literals;
using access::AuthSettings;
using access::Caller;
using access::Scope;

constexpr access::UtcTime now(1'800'000'000s);

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Case {
    Headers headers{};
    std::string target = "/v1/models";
    AuthSettings settings{.mode = AuthSettings::Mode::keys};
    Scope scope = Scope::chat_write;
    Secret admin_token{};
    const Sessions* sessions = nullptr;
    Arrival::Way way = Arrival::Way::plain;
    std::vector<std::string> origins{};
    std::vector<std::string> hosts{};
    std::string method = "GET";
    std::vector<std::string> key_origins{};
};

// What `use` says of the case's request and gatekeeper.
auto ask(const Case& test, auto use) {
    access::Key key{.id = "k", .scopes = {"chat:write"}};
    key.origins = test.key_origins;
    key.hash = access::hash_of_secret("rk-1");
    std::vector<access::Key> keys{key};
    const auto ring = std::make_shared<const access::KeyRing>(std::move(keys));
    http::Request request;
    request.target = test.target;
    request.method = test.method;
    for (const auto& [name, value] : test.headers) request.headers.add(name, value);
    const Sessions none;
    Guesses guesses;
    const Gatekeeper gatekeeper{
        &test.settings,
        &ring,
        {&test.admin_token, test.sessions != nullptr ? test.sessions : &none, &guesses},
        {&test.origins, &test.hosts}};
    return use(request, gatekeeper);
}

Result<Caller> ask(const Case& test) {
    return ask(test, [&](const http::Request& request, const Gatekeeper& gatekeeper) {
        return authenticate({&request, "192.0.2.1", test.way}, gatekeeper, test.scope, now);
    });
}

bool knows_key(const Case& test) {
    return ask(test, [](const http::Request& request, const Gatekeeper& gatekeeper) {
        return key_of(request, gatekeeper, now) != nullptr;
    });
}

int status(const Case& test) {
    const auto caller = ask(test);
    return caller ? 200 : shape_of(caller.error().kind).status;
}

// Nor is it enough that a page says it.
TEST(Authentication, AnAddressWithoutAKeyIsNotForPagesOfOthers) {
    const AuthSettings wallets{.mode = AuthSettings::Mode::header};
    const auto from = [&](Headers headers, std::vector<std::string> origins = {}) {
        headers.emplace_back(wallets.header, "0x" + std::string(40, 'a'));
        return status({.headers = headers, .settings = wallets, .origins = std::move(origins)});
    };
    const std::pair<std::string, std::string> evil{"Origin", "https://evil.test"};
    EXPECT_EQ(from({}), 200);
    EXPECT_EQ(from({{"Host", "evil.test"}}), 403);
    EXPECT_EQ(from({evil}), 403);
    EXPECT_EQ(from({evil}, {"https://evil.test"}), 200);
    EXPECT_EQ(from({evil, {"Host", "evil.test"}, {"Authorization", "Bearer rk-1"}}), 200);
}

TEST(Authentication, TakesAKeyFromEveryPlace) {
    EXPECT_EQ(status({{{"Authorization", "Bearer rk-1"}}}), 200);
    EXPECT_EQ(status({{{"x-api-key", "rk-1"}}}), 200);
    EXPECT_EQ(status({{{"Authorization", "Basic dXNlcjpyay0x"}}}), 200);
    const AuthSettings query{.mode = AuthSettings::Mode::keys, .key_in_query = true};
    EXPECT_EQ(status({{}, "/v1/models?a=b&api-key=rk%2D1", query}), 200);
    EXPECT_EQ(status({{}, "/v1/models?api-key=rk-1"}), 401);
    EXPECT_EQ(status({}), 401);
    EXPECT_EQ(status({{{"Authorization", "Bearer rk-2"}}}), 401);
    EXPECT_EQ(status({.headers = {{"Authorization", "Bearer rk-1"}}, .scope = Scope::logs_read}),
              403);
}

// A proxy may have checked the other.
TEST(Authentication, TakesNoCredentialThatIsThereTwice) {
    EXPECT_EQ(status({{{"X-API-Key", "rk-1"}, {"x-api-key", "rk-2"}}}), 400);
    const AuthSettings wallets{.mode = AuthSettings::Mode::header, .header = "X-Account"};
    const std::string address = "0x" + std::string(40, 'a');
    EXPECT_EQ(status({{{"X-Account", address}}, "/", wallets}), 200);
    EXPECT_EQ(status({{{"X-Account", address}, {"x-account", address}}, "/", wallets}), 400);
}

TEST(Authentication, LetsTheAdminDoEverythingInTheConsole) {
    const Secret token("s3cret");
    Sessions sessions;
    const std::string cookie =
        "runnel_session=" + sessions.open(token, Sessions::Clock::now()).value();
    const auto asked = [&](Headers headers) {
        headers.emplace_back("Cookie", cookie);
        return ask({.headers = headers, .admin_token = token, .sessions = &sessions});
    };
    const auto admin = asked({{"X-Runnel-Console", "1"}});
    ASSERT_TRUE(admin);
    EXPECT_EQ(admin->kind, Caller::Kind::admin);
    // A page elsewhere that makes the browser ask.
    EXPECT_FALSE(asked({{"Origin", "https://evil.test"}}));
    // With a key, the request is its owner's.
    const auto owner = asked({{"X-Runnel-Console", "1"}, {"Authorization", "Bearer rk-1"}});
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->kind, Caller::Kind::key);
    EXPECT_FALSE(asked({{"X-Runnel-Console", "1"}, {"Authorization", "Bearer rk-2"}}));
}

TEST(Authentication, TakesTheWalletFromTheHeaderThatTheSettingsName) {
    const std::string address = "0x00000000000000000000000000000000000a11ce";
    const AuthSettings wallets{.mode = AuthSettings::Mode::header, .header = "X-Account"};
    EXPECT_EQ(ask({{{"x-account", address}}, "/", wallets})->wallet, address);
    EXPECT_EQ(status({{{"x-wallet-address", address}}, "/", wallets}), 401);
}

TEST(Authentication, TheAdminReadsEverybodysLogs) {
    const Secret token("s3cret");
    const Headers headers{{"Authorization", "Bearer s3cret"}};
    for (const Scope scope : {Scope::logs_read, Scope::usage_read})
        EXPECT_EQ(ask({.headers = headers, .scope = scope, .admin_token = token})->kind,
                  Caller::Kind::admin);
    EXPECT_EQ(status({.headers = headers, .admin_token = token}), 401) << "chat needs a key";
    EXPECT_EQ(status({.headers = headers, .scope = Scope::logs_read}), 401);
    EXPECT_EQ(status({.headers = {{"Authorization", "Bearer "}}, .scope = Scope::logs_read}), 401);
}

TEST(Authentication, KnowsTheKeyOfARequestThatIsRefused) {
    const Headers headers{{"Authorization", "Bearer rk-1"}};
    EXPECT_TRUE(knows_key({.headers = headers, .scope = Scope::logs_read}));
    EXPECT_FALSE(knows_key({.headers = {{"Authorization", "Bearer rk-2"}}}));
    EXPECT_FALSE(knows_key({}));
    EXPECT_FALSE(knows_key({.headers = headers, .settings = {}})) << "nobody asks for keys";
}

TEST(Authentication, WhoeverComesByTheLocalSocketIsTheAdmin) {
    const auto admin = ask({.way = Arrival::Way::local_socket});
    ASSERT_TRUE(admin);
    EXPECT_EQ(admin->kind, Caller::Kind::admin);
    const auto owner =
        ask({.headers = {{"Authorization", "Bearer rk-1"}}, .way = Arrival::Way::local_socket});
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->kind, Caller::Kind::key);
}

TEST(Authentication, OpenIsNotForOtherPages) {
    const Headers page{{"Host", "127.0.0.1:8080"}, {"Origin", "https://evil.test"}};
    EXPECT_EQ(status({.headers = page, .settings = {}}), 403);
    EXPECT_EQ(status({.headers = page, .settings = {}, .origins = {"https://evil.test"}}), 200);
    EXPECT_EQ(status({.headers = {{"Host", "evil.test"}}, .settings = {}}), 403);
    EXPECT_EQ(status({.headers = {{"Host", "evil.test"}}}), 401) << "the key is proof";
}

TEST(PagesFor, AreThoseOfTheConfigAndOfTheKey) {
    const auto pages = [](Case test) {
        test.headers.emplace_back("Origin", "https://app.example.com");
        return ask(test, [](const http::Request& request, const Gatekeeper& gatekeeper) {
            return pages_for(request, gatekeeper, now);
        });
    };
    const Headers with_key{{"Authorization", "Bearer rk-1"}};
    const std::vector<std::string> own{"https://app.example.com"}, other{"https://example.com"};
    EXPECT_EQ(pages({}), Pages::none);
    EXPECT_EQ(pages({.origins = other}), Pages::none);
    EXPECT_EQ(pages({.origins = own}), Pages::of_this_origin);
    EXPECT_EQ(pages({.origins = {"*"}}), Pages::of_every_origin);
    EXPECT_EQ(pages({.headers = with_key}), Pages::none) << "a secret key is for programs";
    EXPECT_EQ(pages({.headers = with_key, .key_origins = own}), Pages::of_this_origin);
    EXPECT_EQ(pages({.headers = with_key, .key_origins = other}), Pages::none);
    EXPECT_EQ(pages({.key_origins = own}), Pages::none) << "without the key";
    // A browser asks first, and has no key then.
    EXPECT_EQ(pages({.method = "OPTIONS", .key_origins = own}), Pages::of_this_origin);
    EXPECT_EQ(pages({.method = "OPTIONS", .key_origins = other}), Pages::none);
}

TEST(Authentication, OpenTellsWhereARequestComesFrom) {
    EXPECT_EQ(ask({.settings = {}})->address, "192.0.2.1");
    EXPECT_EQ(ask({.settings = {}})->kind, Caller::Kind::anybody);
}

}  // namespace
}  // namespace runnel::server
