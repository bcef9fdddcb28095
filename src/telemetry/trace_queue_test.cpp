#include "telemetry/trace_queue.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace runnel::telemetry {
namespace {

RequestRecord request(std::string id) {
    RequestRecord record;
    record.request_id = std::move(id);
    record.attempts.resize(2);
    return record;
}

TEST(TraceQueue, GivesTheOldestFirst) {
    TraceQueue queue(10);
    for (const char* id : {"a", "b", "c"}) queue.add(request(id));
    const auto first = queue.take(2);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].request_id, "a");
    EXPECT_EQ(first[1].request_id, "b");
    EXPECT_EQ(queue.take(2).size(), 1U);
    EXPECT_TRUE(queue.take(2).empty());
}

TEST(TraceQueue, DropsAndCountsWhatItHasNoRoomFor) {
    TraceQueue queue(2);
    for (const char* id : {"a", "b", "c", "d"}) queue.add(request(id));
    EXPECT_EQ(queue.figures().waiting_requests, 2U);
    EXPECT_EQ(queue.figures().dropped_spans, 6U);
    EXPECT_EQ(queue.take(10).front().request_id, "a");
    queue.note_sent(5);
    queue.note_dropped(1);
    EXPECT_EQ(queue.figures().waiting_requests, 0U);
    EXPECT_EQ(queue.figures().sent_spans, 5U);
    EXPECT_EQ(queue.figures().dropped_spans, 7U);
}

TEST(TraceQueue, LosesNothingBetweenThreads) {
    constexpr std::size_t each = 500;
    TraceQueue queue(each);
    std::size_t taken = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&queue] {
                for (std::size_t n = 0; n < each; ++n) queue.add(request("x"));
            });
        for (int i = 0; i < 100; ++i) taken += queue.take(10).size();
    }
    taken += queue.take(each).size();
    EXPECT_EQ(taken + queue.figures().dropped_spans / 3, 4 * each);
}

}  // namespace
}  // namespace runnel::telemetry
