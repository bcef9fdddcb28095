#include "telemetry/by_labels.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace runnel::telemetry {
namespace {

using Counts = ByLabels<2, std::int64_t>;

std::int64_t sum_of(const Counts& counts) {
    std::int64_t sum = 0;
    for (const auto& [labels, count] : counts) sum += count;
    return sum;
}

std::size_t size_of(const Counts& counts) {
    return static_cast<std::size_t>(std::distance(counts.begin(), counts.end()));
}

TEST(ByLabels, EachCombinationHasItsOwnValue) {
    Counts counts;
    ++counts.at({"a", "b"});
    ++counts.at({"a", "c"});
    ++counts.at({"a", "b"});
    EXPECT_EQ(size_of(counts), 2U);
    EXPECT_EQ(counts.at({"a", "b"}), 2);
    EXPECT_EQ(counts.at({"a", "c"}), 1);
}

TEST(ByLabels, HoweverManyThereAreTheyAreBoundedAndNoneIsLost) {
    Counts counts;
    for (int i = 0; i < 5000; ++i) ++counts.at({std::to_string(i), "x"});
    EXPECT_EQ(size_of(counts), Counts::series_max + 1);
    EXPECT_EQ(counts.at({other_label, other_label}), 5000 - std::int64_t{Counts::series_max});
    EXPECT_EQ(sum_of(counts), 5000);
}

TEST(ByLabels, SumsAreOfBoth) {
    Counts some;
    Counts more;
    for (int i = 0; i < 900; ++i) ++some.at({std::to_string(i), "x"});
    for (int i = 600; i < 1500; ++i) ++more.at({std::to_string(i), "x"});
    some += more;
    EXPECT_EQ(sum_of(some), 1800);
    EXPECT_EQ(size_of(some), Counts::series_max + 1);
    EXPECT_EQ(some.at({"700", "x"}), 2);
}

}  // namespace
}  // namespace runnel::telemetry
