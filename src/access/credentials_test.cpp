#include "access/credentials.hpp"

#include <gtest/gtest.h>

namespace runnel::access {
namespace {

std::string key_of(const CredentialFields& fields, const AuthSettings& settings = {}) {
    return read_credentials(fields, settings).key.reveal();
}

TEST(Credentials, AreFoundInEveryPlace) {
    EXPECT_EQ(key_of({.authorization = "Bearer rk-1"}), "rk-1");
    EXPECT_EQ(key_of({.authorization = "bearer   rk-1"}), "rk-1");
    EXPECT_EQ(key_of({.api_key = "rk-2"}), "rk-2");
    EXPECT_EQ(key_of({.authorization = "Basic dXNlcjpyay0z"}), "rk-3") << "user:rk-3";
    EXPECT_EQ(key_of({.authorization = "BASIC dXNlcjpyay00OjU="}), "rk-4:5") << "user:rk-4:5";
    EXPECT_EQ(key_of({.authorization = "Basic cmstNTo="}), "rk-5") << "rk-5:, as curl -u does";
    EXPECT_EQ(key_of({.authorization = "Basic cmstNQ=="}), "rk-5") << "rk-5, without a colon";
    EXPECT_EQ(key_of({.query_key = "rk-6"}, {.key_in_query = true}), "rk-6");
}

TEST(Credentials, TheFirstFoundCounts) {
    const AuthSettings query{.key_in_query = true};
    EXPECT_EQ(key_of({"Bearer rk-1", "rk-2", "rk-6"}, query), "rk-1");
    EXPECT_EQ(key_of({"Basic dXNlcjpyay0z", "rk-2", "rk-6"}, query), "rk-2");
    EXPECT_EQ(key_of({"Basic dXNlcjpyay0z", "", "rk-6"}, query), "rk-3");
    EXPECT_EQ(key_of({"Bearer ", "", "rk-6"}, query), "rk-6");
    EXPECT_EQ(key_of({"Token rk-1", "rk-2"}), "rk-2");
}

TEST(Credentials, AreNotReadFromWhatIsNone) {
    for (const char* text : {"", "Bearer", "Bearer ", "Bearer   ", "rk-1", "BearerX rk-1", "Basic",
                             "Basic ", "Basic !!!!", "Basic abc", "Digest dXNlcjpyay0z"})
        EXPECT_EQ(key_of({.authorization = text}), "") << text;
    EXPECT_EQ(key_of({.authorization = "Basic " + std::string(100'000, 'A')}), "");
    EXPECT_EQ(key_of({.query_key = "rk-6"}), "") << "only where the settings allow it";
}

TEST(Credentials, WalletsAreComparedInSmallLetters) {
    const std::string address = "0xAbCdEf0123456789aBcDeF0123456789ABCDEF01";
    EXPECT_EQ(read_wallet(address, {}), "0xabcdef0123456789abcdef0123456789abcdef01");
    for (const std::string& other :
         {std::string(), std::string("0x"), address.substr(1), address + "0", address.substr(0, 41),
          "0X" + address.substr(2), "0xg" + address.substr(3), std::string("0xYourAddress")})
        EXPECT_FALSE(read_wallet(other, {})) << other;
}

TEST(Credentials, PlaceholdersAreWalletsWhereTheSettingsAreLenient) {
    const AuthSettings lenient{.lenient_addresses = true};
    for (const char* text : {"0xYourAddress", "0xYOUR_WALLET", "0x...", "0x1"})
        EXPECT_TRUE(read_wallet(text, lenient)) << text;
    for (const char* text : {"", "0x", "YourAddress", "0xYour Address", "0x<address>"})
        EXPECT_FALSE(read_wallet(text, lenient)) << text;
}

}  // namespace
}  // namespace runnel::access
