#include "storage/journal/unrecorded.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace runnel::storage {
namespace {

TEST(Unrecorded, CountsWhatEveryThreadLoses) {
    Unrecorded lost;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int request = 0; request < 1000; ++request)
                    lost.add(std::chrono::steady_clock::now());
            });
    }
    EXPECT_EQ(lost.count(), 4000u);
}

}  // namespace
}  // namespace runnel::storage
