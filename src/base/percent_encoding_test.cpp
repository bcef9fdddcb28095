#include "base/percent_encoding.hpp"

#include <gtest/gtest.h>

namespace runnel {
namespace {

TEST(PercentEncoding, KeepsWhatUrlsMayHoldAnywhere) {
    EXPECT_EQ(percent_encoded("a/b?c&d=e%f ü.~"), "a%2Fb%3Fc%26d%3De%25f%20%C3%BC.~");
}

TEST(PercentEncoding, KeepsWhatItIsToldTo) {
    EXPECT_EQ(percent_encoded("org/model:free", "/:"), "org/model:free");
}

TEST(PercentEncoding, GivesEveryByteBack) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    EXPECT_EQ(percent_decoded(percent_encoded(all)), all);
}

TEST(PercentEncoding, LeavesAPercentSignThatBeginsNoEscape) {
    for (const std::string_view text : {"100%", "%4", "%zz", "%", "%-1"})
        EXPECT_EQ(percent_decoded(text), text);
}

TEST(PercentEncoding, RefusesSuchASignWhereItMustBeStrict) {
    EXPECT_EQ(percent_decoded_strictly("p%40ss%2Aw%c3%B6rd @:/"), "p@ss*w\u00F6rd @:/");
    EXPECT_EQ(percent_decoded_strictly(""), "");
    for (const std::string_view text : {"100%", "%4", "%zz", "%", "%-1", "a%4"})
        EXPECT_EQ(percent_decoded_strictly(text), std::nullopt) << text;
}

}  // namespace
}  // namespace runnel
