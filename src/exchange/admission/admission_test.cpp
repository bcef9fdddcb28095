#include "exchange/admission/admission.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace runnel::exchange {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

constexpr Admission::Limits unlimited{};
constexpr auto never = 1h;

class AdmissionTest : public testing::Test {
protected:
    // One who wants in, and stays until it is told to leave.
    struct Guest {
        http::Stop stop;
        std::optional<Result<Admission::Ticket>> outcome;

        bool is_in() const { return outcome && outcome->has_value(); }
        void leave() { outcome.reset(); }
    };

    static asio::awaitable<void> enter(Admission* admission, Guest* guest) {
        guest->outcome.emplace(co_await admission->enter(&guest->stop));
    }

    // Runs it as far as it gets without waiting.
    void arrive(Admission* admission, Guest* guest) {
        asio::co_spawn(loop_, enter(admission, guest), asio::detached);
        settle();
    }

    void settle() {
        loop_.restart();
        loop_.poll();
    }

    asio::io_context loop_;
};

TEST_F(AdmissionTest, CountsThoseInside) {
    Admission admission("the gateway", {.concurrent = 2});
    auto first = admission.try_enter();
    auto second = admission.try_enter();
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(admission.try_enter());
    EXPECT_EQ(admission.figures().inside, 2U);
    first.reset();
    EXPECT_EQ(admission.figures().inside, 1U);
    EXPECT_TRUE(admission.try_enter());
}

TEST_F(AdmissionTest, ATicketCountsOnceHoweverOftenItMoves) {
    Admission admission("the gateway", {.concurrent = 2});
    {
        Admission::Ticket first = *admission.try_enter();
        Admission::Ticket second(std::move(first));
        Admission::Ticket third = *admission.try_enter();
        third = std::move(second);
        EXPECT_EQ(admission.figures().inside, 2U);
    }
    EXPECT_EQ(admission.figures().inside, 0U);
}

TEST_F(AdmissionTest, WithoutALimitLetsEverybodyInAndStillCounts) {
    Admission admission("the gateway", unlimited);
    std::vector<Admission::Ticket> tickets;
    for (int i = 0; i < 100; ++i) tickets.push_back(*admission.try_enter());
    EXPECT_EQ(admission.figures().inside, 100U);
}

TEST_F(AdmissionTest, LetsThoseWhoWaitInInTheirOrder) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 3, .queue_time = never});
    std::vector<Guest> guests(4);
    for (Guest& guest : guests) arrive(&admission, &guest);
    for (std::size_t i = 0; i < guests.size(); ++i) {
        for (std::size_t k = i; k < guests.size(); ++k) EXPECT_EQ(guests[k].is_in(), k == i);
        guests[i].leave();
        settle();
    }
    EXPECT_EQ(admission.figures().inside, 0U);
    EXPECT_EQ(admission.figures().waiting, 0U);
}

TEST_F(AdmissionTest, NobodyOvertakesTheQueue) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 1, .queue_time = never});
    auto inside = admission.try_enter();
    Guest waiting;
    arrive(&admission, &waiting);
    inside.reset();
    EXPECT_FALSE(admission.try_enter());
    settle();
    EXPECT_TRUE(waiting.is_in());
}

TEST_F(AdmissionTest, RefusesAtOnceWhenTheQueueIsFull) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 1, .queue_time = never});
    std::vector<Guest> guests(3);
    for (Guest& guest : guests) arrive(&admission, &guest);
    EXPECT_FALSE(guests[1].outcome);
    ASSERT_TRUE(guests[2].outcome);
    ASSERT_FALSE(guests[2].is_in());
    const Error& error = guests[2].outcome->error();
    EXPECT_EQ(error.kind, ErrorKind::overloaded);
    EXPECT_EQ(error.message, "the gateway is busy with as many requests as it takes at a time");
    EXPECT_EQ(error.retry_after, 1s);
    guests[0].leave();
    settle();
}

TEST_F(AdmissionTest, RefusesWhenTheTimeIsOver) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 1, .queue_time = 1ms});
    const auto inside = admission.try_enter();
    Guest late;
    asio::co_spawn(loop_, enter(&admission, &late), asio::detached);
    loop_.run();
    ASSERT_TRUE(late.outcome);
    EXPECT_FALSE(late.is_in());
    EXPECT_EQ(admission.figures().waiting, 0U);
}

TEST_F(AdmissionTest, OneWhoIsStoppedGivesItsTurnUp) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 2, .queue_time = never});
    std::vector<Guest> guests(3);
    for (Guest& guest : guests) arrive(&admission, &guest);
    guests[1].stop.request(http::Stop::Reason::client_gone);
    settle();
    ASSERT_TRUE(guests[1].outcome);
    EXPECT_FALSE(guests[1].is_in());
    guests[0].leave();
    settle();
    EXPECT_TRUE(guests[2].is_in());
}

TEST_F(AdmissionTest, OneWhoWasStoppedBeforeDoesNotWait) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 2, .queue_time = never});
    const auto inside = admission.try_enter();
    Guest gone;
    gone.stop.request(http::Stop::Reason::shutdown);
    arrive(&admission, &gone);
    ASSERT_TRUE(gone.outcome);
    EXPECT_FALSE(gone.is_in());
}

TEST_F(AdmissionTest, AHigherLimitLetsInThoseWhoWait) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 5, .queue_time = never});
    std::vector<Guest> guests(4);
    for (Guest& guest : guests) arrive(&admission, &guest);
    admission.set_limits({.concurrent = 3, .queue = 5, .queue_time = never});
    settle();
    EXPECT_TRUE(guests[1].is_in() && guests[2].is_in());
    EXPECT_FALSE(guests[3].is_in());
    admission.set_limits(unlimited);
    settle();
    EXPECT_TRUE(guests[3].is_in());
}

TEST_F(AdmissionTest, ALowerLimitHoldsOnceEnoughHaveLeft) {
    Admission admission("the gateway", unlimited);
    auto first = admission.try_enter();
    auto second = admission.try_enter();
    admission.set_limits({.concurrent = 1});
    first.reset();
    EXPECT_FALSE(admission.try_enter());
    second.reset();
    EXPECT_TRUE(admission.try_enter());
}

TEST_F(AdmissionTest, AQueueThatIsAbandonedIsEmpty) {
    Admission admission("the gateway", {.concurrent = 1, .queue = 5, .queue_time = never});
    Guest guests[2];
    {
        asio::io_context loop;
        const auto inside = admission.try_enter();
        for (Guest& guest : guests) asio::co_spawn(loop, enter(&admission, &guest), asio::detached);
        loop.poll();
        EXPECT_EQ(admission.figures().waiting, 2U);
    }
    EXPECT_EQ(admission.figures().waiting, 0U);
    EXPECT_EQ(admission.figures().inside, 0U);
}

asio::awaitable<void> come_and_go(Admission* admission, std::atomic<int>* inside,
                                  std::atomic<int>* most, std::atomic<int>* served, int times) {
    http::Stop stop;
    for (int i = 0; i < times; ++i) {
        auto ticket = co_await admission->enter(&stop);
        if (!ticket) co_return;
        const int now = ++*inside;
        for (int seen = *most; seen < now && !most->compare_exchange_weak(seen, now);) {
        }
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        --*inside;
        ++*served;
    }
}

TEST_F(AdmissionTest, ThreadsWakeEachOther) {
    Admission admission("the gateway", {.concurrent = 3, .queue = 100, .queue_time = 1min});
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> served = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            asio::io_context loop;
            for (int i = 0; i < 10; ++i)
                asio::co_spawn(loop, come_and_go(&admission, &inside, &most, &served, 50),
                               asio::detached);
            loop.run();
        });
    threads.clear();
    EXPECT_EQ(served, 4 * 10 * 50);
    EXPECT_LE(most, 3);
    EXPECT_EQ(admission.figures().inside, 0U);
}

TEST(AdmissionTableTest, HasOneForEachNameWithALimit) {
    AdmissionTable table("provider");
    table.set_limits({{"a", {.concurrent = 1}}});
    EXPECT_EQ(table.find("b"), nullptr);
    Admission* a = table.find("a");
    ASSERT_NE(a, nullptr);
    const auto inside = a->try_enter();
    table.set_limits({{"a", {.concurrent = 2}}, {"b", {.concurrent = 1}}});
    EXPECT_EQ(table.find("a"), a);
    EXPECT_EQ(a->figures().inside, 1U);
    EXPECT_EQ(a->figures().concurrent, 2U);
    EXPECT_NE(table.find("b"), nullptr);
    table.set_limits({});
    EXPECT_EQ(a->figures().concurrent, 0U);
}

}  // namespace
}  // namespace runnel::exchange
