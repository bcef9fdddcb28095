#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using access::AuthSettings;
using ::testing::HasSubstr;
using testing::problem;
using testing::read;

AuthSettings auth(const std::string& yaml) { return read("auth: " + yaml).access.auth; }

TEST(ConfigAuth, IsOpenUnlessItIsSaid) {
    EXPECT_EQ(read("").access.auth.mode, AuthSettings::Mode::open);
    EXPECT_EQ(auth("{}").mode, AuthSettings::Mode::open);
    EXPECT_EQ(auth("{mode: open}").mode, AuthSettings::Mode::open);
}

TEST(ConfigAuth, MayAskForKeys) {
    EXPECT_EQ(auth("{mode: keys}").mode, AuthSettings::Mode::keys);
    EXPECT_FALSE(auth("{mode: keys}").key_in_query);
    EXPECT_TRUE(auth("{mode: keys, key_in_query: true}").key_in_query);
}

TEST(ConfigAuth, MayAskForAWallet) {
    const AuthSettings plain = auth("{mode: header}");
    EXPECT_EQ(plain.mode, AuthSettings::Mode::header);
    EXPECT_EQ(plain.header, "x-wallet-address");
    EXPECT_EQ(plain.wallet, AuthSettings::Wallet::free);
    EXPECT_FALSE(plain.lenient_addresses);
    const AuthSettings strict =
        auth("{mode: header, header: X-Account, wallet: required, lenient_addresses: true}");
    EXPECT_EQ(strict.header, "X-Account");
    EXPECT_EQ(strict.wallet, AuthSettings::Wallet::required);
    EXPECT_TRUE(strict.lenient_addresses);
}

TEST(ConfigAuth, IsOpenToANetworkOnlyWhereItIsMeant) {
    EXPECT_TRUE(auth("{mode: open, really: true}").really);
    EXPECT_FALSE(auth("{mode: open}").really);
    EXPECT_THAT(problem("auth: {mode: keys, really: true}"),
                HasSubstr("auth.really: only mode: open needs this"));
}

TEST(ConfigAuth, SaysWhatIsWrong) {
    EXPECT_THAT(problem("auth: {mode: key}"),
                HasSubstr("1:14: auth.mode: 'key' is not one of open, keys, header; did you mean "
                          "'keys'?"));
    EXPECT_THAT(problem("auth: {mode: header, wallet: maybe}"), HasSubstr("auth.wallet"));
    EXPECT_THAT(problem("auth: {mode: header, header: Authorization}"),
                HasSubstr("auth.header must be the name of a header that has no other meaning"));
    EXPECT_THAT(problem("auth: {mode: header, header: 'two words'}"), HasSubstr("auth.header"));
    EXPECT_THAT(problem("auth: {mode: keys, wallet: required}"),
                HasSubstr("1:28: auth.wallet: only mode: header looks at this"));
    EXPECT_THAT(problem("auth: keys"), HasSubstr("auth must be a map"));
    EXPECT_THAT(problem("auth: {modes: keys}"), HasSubstr("did you mean 'mode'?"));
}

TEST(ConfigAuth, ListsTheToolsOfWallets) {
    EXPECT_TRUE(auth("{mode: header}").wallet_tools.empty());
    EXPECT_EQ(auth("{mode: header, wallet_tools: [now]}").wallet_tools,
              std::vector<std::string>{"now"});
    EXPECT_THAT(problem("auth: {mode: header, wallet_tools: [nwo]}"),
                HasSubstr("no tool is named 'nwo'"));
    EXPECT_THAT(problem("auth: {mode: keys, wallet_tools: [now]}"),
                HasSubstr("only mode: header looks at this"));
}

}  // namespace
}  // namespace runnel::config
