#include "http/message/headers.hpp"

#include <gtest/gtest.h>

namespace runnel::http {
namespace {

TEST(HeaderList, FindsTheFirstFieldOfANameWhateverItsCase) {
    HeaderList headers;
    headers.add("Content-Type", "application/json");
    headers.add("X-A", "1");
    headers.add("x-a", "2");
    EXPECT_EQ(headers.get("content-type"), "application/json");
    EXPECT_EQ(headers.get("X-a"), "1");
    EXPECT_EQ(headers.get("X-B"), "");
    EXPECT_FALSE(headers.has("X-B"));
    EXPECT_EQ(headers.count("X-A"), 2U);
    EXPECT_EQ(headers.count("X-B"), 0U);
}

TEST(HeaderList, KeepsTheOrderOfItsFields) {
    HeaderList headers;
    headers.add("B", "2");
    headers.add("A", "");
    ASSERT_EQ(headers.size(), 2U);
    EXPECT_EQ(headers.at(0).name, "B");
    EXPECT_EQ(headers.at(1).name, "A");
    EXPECT_EQ(headers.at(1).value, "");
}

}  // namespace
}  // namespace runnel::http
