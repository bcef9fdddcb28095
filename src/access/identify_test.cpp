#include "access/identify.hpp"

#include "access/key_secret.hpp"

#include <gtest/gtest.h>

namespace runnel::access {
namespace {

using namespace std::chrono_literals;
using Mode = AuthSettings::Mode;
using Wallet = AuthSettings::Wallet;

constexpr UtcTime now(1'800'000'000s);
const std::string alice = "0x00000000000000000000000000000000000a11ce";
const std::string bob = "0x0000000000000000000000000000000000000b0b";

Key key(std::string id, std::string wallet = "") {
    Key made{.id = id, .scopes = {"*"}};
    made.hash = hash_of_secret("rk-" + id);
    made.wallet = std::move(wallet);
    return made;
}

std::shared_ptr<const KeyRing> example_ring() {
    Key expired = key("expired");
    expired.expires_at = now - 1ms;
    std::vector<Key> keys{key("free"), key("alice", alice), expired};
    return std::make_shared<const KeyRing>(std::move(keys));
}

const std::shared_ptr<const KeyRing> ring = example_ring();

Result<Caller> ask(const AuthSettings& settings, std::string secret, std::string_view wallet = "",
                   Scope scope = Scope::chat_write) {
    return identify({Secret(std::move(secret)), wallet}, settings, ring, {scope, "192.0.2.1"}, now);
}

// The key's id, the wallet or nothing for who is let in; else the refusal's code.
std::string outcome(const Result<Caller>& caller) {
    if (!caller) return std::string(shape_of(caller.error().kind).code);
    if (caller->key != nullptr) return "key " + caller->key->id;
    return caller->kind == Caller::Kind::wallet ? "wallet " + caller->wallet : "anybody";
}

TEST(Identify, OpenIsForAnybody) {
    const AuthSettings open;
    EXPECT_EQ(outcome(ask(open, "")), "anybody");
    EXPECT_EQ(outcome(ask(open, "not-needed")), "anybody");
    EXPECT_EQ(ask(open, "")->address, "192.0.2.1");
}

TEST(Identify, KeysAreNeededWhereTheSettingsSaySo) {
    const AuthSettings keys{.mode = Mode::keys};
    EXPECT_EQ(outcome(ask(keys, "rk-free")), "key free");
    EXPECT_EQ(ask(keys, "rk-free")->kind, Caller::Kind::key);
    EXPECT_EQ(outcome(ask(keys, "rk-alice")), "key alice") << "wallets are not looked at";
    EXPECT_EQ(outcome(ask(keys, "rk-alice", "what")), "key alice");
    EXPECT_EQ(outcome(ask(keys, "")), "missing_api_key");
    EXPECT_EQ(outcome(ask(keys, "", alice)), "missing_api_key");
    EXPECT_EQ(outcome(ask(keys, "rk-other")), "invalid_api_key");
    EXPECT_EQ(outcome(ask(keys, "rk-expired")), "expired_api_key");
}

TEST(Identify, AKeyOutlivesTheRing) {
    auto mine = example_ring();
    const auto caller =
        identify({Secret("rk-free"), ""}, {.mode = Mode::keys}, mine, {Scope::chat_write}, now);
    mine.reset();
    EXPECT_EQ(caller->key->id, "free");
}

TEST(Identify, WithoutKeysNobodyIsLetInByOne) {
    const auto without = [](const AuthSettings& settings, std::string_view wallet) {
        return outcome(
            identify({Secret("rk-free"), wallet}, settings, nullptr, {Scope::chat_write}, now));
    };
    EXPECT_EQ(without({.mode = Mode::keys}, ""), "store_unavailable");
    EXPECT_EQ(without({.mode = Mode::header, .wallet = Wallet::required}, alice),
              "store_unavailable");
    EXPECT_EQ(without({.mode = Mode::header}, alice), "wallet " + alice);
    EXPECT_EQ(without({}, ""), "anybody");
}

TEST(Identify, AFreeWalletNeedsNoKey) {
    const AuthSettings free{.mode = Mode::header};
    EXPECT_EQ(outcome(ask(free, "", alice)), "wallet " + alice);
    EXPECT_EQ(outcome(ask(free, "not-needed", alice)), "wallet " + alice);
    EXPECT_EQ(outcome(ask(free, "rk-free", alice)), "key free");
    EXPECT_EQ(ask(free, "rk-free", alice)->wallet, alice);
    EXPECT_EQ(outcome(ask(free, "rk-alice", alice)), "key alice");
    EXPECT_EQ(ask(free, "rk-alice")->wallet, alice);
    EXPECT_EQ(outcome(ask(free, "rk-alice", bob)), "invalid_wallet_address");
    EXPECT_EQ(outcome(ask(free, "")), "missing_wallet_address");
    EXPECT_EQ(outcome(ask(free, "not-needed")), "missing_wallet_address");
    EXPECT_EQ(outcome(ask(free, "", "0xYourAddress")), "invalid_wallet_address");
    EXPECT_EQ(outcome(ask(free, "rk-expired", alice)), "expired_api_key");
}

TEST(Identify, AnAddressAloneReadsNoLogs) {
    const AuthSettings free{.mode = Mode::header};
    for (const Scope scope : {Scope::logs_read, Scope::usage_read}) {
        EXPECT_EQ(outcome(ask(free, "", alice, scope)), "insufficient_scope");
        EXPECT_EQ(outcome(ask(free, "rk-alice", alice, scope)), "key alice");
    }
    EXPECT_EQ(outcome(ask(free, "", alice, Scope::models_read)), "wallet " + alice);
}

TEST(Identify, ARequiredWalletNeedsTheKeyThatIsBoundToIt) {
    const AuthSettings required{.mode = Mode::header, .wallet = Wallet::required};
    EXPECT_EQ(outcome(ask(required, "rk-alice", alice)), "key alice");
    EXPECT_EQ(outcome(ask(required, "rk-alice", "0x00000000000000000000000000000000000A11CE")),
              "key alice");
    EXPECT_EQ(outcome(ask(required, "", alice)), "missing_api_key");
    EXPECT_EQ(outcome(ask(required, "rk-alice")), "missing_wallet_address");
    EXPECT_EQ(outcome(ask(required, "")), "missing_wallet_address");
    EXPECT_EQ(outcome(ask(required, "not-needed", alice)), "invalid_api_key");
    EXPECT_EQ(outcome(ask(required, "rk-alice", bob)), "invalid_wallet_address");
    EXPECT_EQ(outcome(ask(required, "rk-free", alice)), "invalid_wallet_address");
    EXPECT_EQ(outcome(ask(required, "rk-alice", "alice")), "invalid_wallet_address");
}

}  // namespace
}  // namespace runnel::access
