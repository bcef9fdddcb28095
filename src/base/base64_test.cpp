#include "base/base64.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace runnel {
namespace {

std::string decoded(std::string_view text) {
    std::string out;
    EXPECT_TRUE(append_decoded_base64(out, text)) << text;
    return out;
}

TEST(Base64, HasTheVectorsOfItsRfc) {
    constexpr std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                         {"f", "Zg=="},
                                                                         {"fo", "Zm8="},
                                                                         {"foo", "Zm9v"},
                                                                         {"foob", "Zm9vYg=="},
                                                                         {"fooba", "Zm9vYmE="},
                                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base64(bytes), text);
        EXPECT_EQ(decoded(text), bytes);
    }
}

TEST(Base64, OfUrlsHasItsOwnAlphabetAndNoPadding) {
    const std::string bytes = "\xFB\xEF\xFF\xFE";
    EXPECT_EQ(base64(bytes), "++///g==");
    EXPECT_EQ(base64url(bytes), "--___g");
    EXPECT_EQ(decoded("--___g"), bytes);
}

TEST(Base64, BringsEveryByteBack) {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) {
        bytes += static_cast<char>(i * 7);
        EXPECT_EQ(decoded(base64(bytes)), bytes);
        EXPECT_EQ(decoded(base64url(bytes)), bytes);
    }
}

TEST(Base64, MayBeWrittenInLines) { EXPECT_EQ(decoded("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNone) {
    std::string out;
    for (const std::string_view text : {"Zm9v!", "Zm 9v", "\"", "Zm\x80"})
        EXPECT_FALSE(append_decoded_base64(out, text)) << text;
}

}  // namespace
}  // namespace runnel
