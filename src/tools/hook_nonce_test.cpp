#include "tools/hook_nonce.hpp"

#include <crypt.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::tools {
namespace {

using ::testing::MatchesRegex;

// As a receiver checks it.
bool fits(const std::string& nonce, const std::string& key) {
    crypt_data room{};
    const char* hash = ::crypt_r(key.c_str(), nonce.c_str(), &room);
    return hash != nullptr && nonce == hash;
}

TEST(HookNonce, IsABcryptHashOfTheKeyThatIsNeverTheSame) {
    const Secret key("a long random key");
    const std::string one = hook_nonce(key);
    EXPECT_THAT(one, MatchesRegex("\\$2b\\$05\\$[./A-Za-z0-9]{53}"));
    EXPECT_TRUE(fits(one, key.reveal()));
    EXPECT_FALSE(fits(one, "another key"));
    EXPECT_NE(hook_nonce(key), one);
    EXPECT_EQ(hook_nonce(Secret()), "");
}

}  // namespace
}  // namespace runnel::tools
