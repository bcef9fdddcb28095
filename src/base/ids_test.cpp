#include "base/ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>

namespace runnel {
namespace {

TEST(IdSource, MintsIdsThatAreSafeInUrlsAndHeaders) {
    IdSource ids;
    const std::string id = ids.next("chatcmpl-");
    ASSERT_EQ(id.size(), 9U + 24U);
    EXPECT_TRUE(id.starts_with("chatcmpl-"));
    EXPECT_TRUE(std::all_of(id.begin() + 9, id.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
    })) << id;
}

TEST(IdSource, DoesNotRepeatItself) {
    IdSource ids;
    std::unordered_set<std::string> seen;
    for (int i = 0; i < 100'000; ++i) EXPECT_TRUE(seen.insert(ids.next("")).second);
}

TEST(IdSource, DiffersFromEveryOtherSource) {
    IdSource first;
    IdSource second;
    EXPECT_NE(first.next(""), second.next(""));
}

TEST(IdSource, MintsIdsThatAreInTheOrderOfTheirTime) {
    IdSource earlier;
    IdSource later;
    const std::string first = earlier.next("chatcmpl-");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_LT(first, later.next("chatcmpl-"));
    EXPECT_NE(first.substr(18), earlier.next("chatcmpl-").substr(18));
}

TEST(IdSource, RepeatsItselfForTheSameSeed) {
    IdSource first(7);
    IdSource second(7);
    EXPECT_EQ(first.next("call_"), second.next("call_"));
    EXPECT_EQ(first.next("call_"), second.next("call_"));
}

}  // namespace
}  // namespace runnel
