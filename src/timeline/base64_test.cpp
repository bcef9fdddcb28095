#include "timeline/base64.hpp"

#include <gtest/gtest.h>

namespace runnel::timeline {
namespace {

std::string joined(std::initializer_list<std::string_view> pieces) {
    std::string all;
    for (const std::string_view piece : pieces) append_base64(all, piece);
    return all;
}

TEST(Base64, OfSeveralPiecesIsThatOfAllTheirBytes) {
    EXPECT_EQ(joined({}), "");
    EXPECT_EQ(joined({"YQ=="}), "YQ==");
    EXPECT_EQ(joined({"YWJj", "ZGVm"}), "YWJjZGVm");
    EXPECT_EQ(joined({"YQ==", "Yg==", "Yw=="}), "YWJj");
    EXPECT_EQ(joined({"YWI=", "Y2RlZg=="}), "YWJjZGVm");
    EXPECT_EQ(joined({"YWJjZA==", "", "ZQ=="}), "YWJjZGU=");
    EXPECT_EQ(joined({"YWJjZA", "ZQ"}), "YWJjZGU=") << "padding may be missing";
}

}  // namespace
}  // namespace runnel::timeline
