#include "exchange/background/kept_stream.hpp"

#include "exchange/background/limits.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

namespace runnel::exchange {
namespace {

std::string frame(std::size_t number) { return fmt::format("event: e\ndata: {}\n\n", number); }

TEST(KeptStream, GivesEachFrameOnceAndInOrderWhereverAReaderBegins) {
    KeptStream stream(nullptr);
    std::string all;
    for (std::size_t i = 0; i < 10; i += 2) {
        ASSERT_TRUE(stream.add(frame(i) + frame(i + 1)));
        all += frame(i) + frame(i + 1);
    }
    stream.end();
    for (std::size_t first = 0; first <= 10; ++first) {
        for (const std::size_t bytes_max : {std::size_t{1}, std::size_t{50}, std::size_t{10'000}}) {
            std::string got;
            std::size_t next = first;
            while (true) {
                const auto piece = stream.read(next, bytes_max);
                if (piece.bytes.empty()) {
                    EXPECT_TRUE(piece.ended);
                    break;
                }
                got += piece.bytes;
                next = piece.next;
            }
            EXPECT_EQ(got, all.substr(first * frame(0).size()));
        }
    }
    EXPECT_EQ(stream.frames(), 10);
}

TEST(KeptStream, KeepsNoMoreThanItsMemory) {
    MemoryBudget memory(64 * limits::kib);
    KeptStream stream(&memory);
    std::size_t added = 0;
    while (added < 10'000 && stream.add(frame(1))) ++added;
    EXPECT_LT(added, 10'000U);
    EXPECT_EQ(stream.frames(), added);
    EXPECT_LE(memory.taken(), memory.limit());
    EXPECT_FALSE(KeptStream(nullptr).add(std::string(limits::kept_stream_bytes + 1, 'x')));
}

TEST(KeptStream, WakesReadersOfOtherThreads) {
    KeptStream stream(nullptr);
    std::string all;
    std::jthread writer([&stream] {
        for (std::size_t i = 0; i < 1000; ++i) EXPECT_TRUE(stream.add(frame(i)));
        stream.end();
    });
    boost::asio::io_context loop;
    std::size_t next = 0;
    bool ended = false;
    std::function<void()> look = [&] {
        auto piece = stream.read(next, 100);
        while (!piece.bytes.empty()) {
            all += piece.bytes;
            next = piece.next;
            piece = stream.read(next, 100);
        }
        ended = piece.ended;
        if (!ended) stream.wake_at(next, loop.get_executor(), look);
    };
    const auto work = boost::asio::make_work_guard(loop);
    look();
    while (!ended) loop.run_one();
    writer.join();
    EXPECT_EQ(all, stream.bytes());
    EXPECT_EQ(next, 1000);
}

}  // namespace
}  // namespace runnel::exchange
