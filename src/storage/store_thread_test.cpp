#include "storage/store_thread.hpp"

#include "storage/ask.hpp"
#include "storage/keys/keys.hpp"
#include "support/temporary_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace runnel::storage {
namespace {

namespace asio = boost::asio;

class StoreThreads : public ::testing::Test {
protected:
    StoreThreads() : thread_(*open_database({}, folder_.path())) {}

    testing::TemporaryFolder folder_;
    StoreThread thread_;
};

asio::awaitable<void> read_version(StoreThread* thread, Result<std::int64_t>* out,
                                   std::thread::id* where) {
    *out = co_await ask<std::int64_t>(thread,
                                      [](Database& database) { return keys_version(database); });
    *where = std::this_thread::get_id();
}

TEST_F(StoreThreads, AnswerACoroutineOnItsOwnThread) {
    asio::io_context loop;
    Result<std::int64_t> version = fail(ErrorKind::internal_error, "not asked");
    std::thread::id where;
    asio::co_spawn(loop, read_version(&thread_, &version, &where), asio::detached);
    loop.run();
    ASSERT_TRUE(version) << version.error().message;
    EXPECT_EQ(*version, 0);
    EXPECT_EQ(where, std::this_thread::get_id());
}

TEST_F(StoreThreads, RefuseWhatWouldWaitTooLongAndSayWhy) {
    std::promise<void> go_on;
    std::promise<void> begun;
    thread_.submit([&](Result<Database*>) {
        begun.set_value();
        go_on.get_future().wait();
    });
    begun.get_future().wait();
    std::atomic<int> answered = 0;
    std::atomic<int> refused = 0;
    Error error;
    for (int i = 0; i < 300; ++i)
        thread_.submit([&](Result<Database*> database) {
            if (database) {
                ++answered;
                return;
            }
            ++refused;
            error = database.error();
        });
    EXPECT_EQ(refused, 300 - 256);
    EXPECT_EQ(error.kind, ErrorKind::store_unavailable);
    EXPECT_NE(error.message.find("too slow"), std::string::npos);
    go_on.set_value();
    std::promise<void> last;
    while (true) {
        std::promise<bool> there;
        thread_.submit([&](Result<Database*> database) { there.set_value(database.has_value()); });
        if (there.get_future().get()) break;
    }
    EXPECT_EQ(answered, 256);
}

TEST_F(StoreThreads, TellThoseWhoWaitWhenTheyAreStopped) {
    std::promise<void> go_on;
    std::promise<void> begun;
    thread_.submit([&](Result<Database*>) {
        begun.set_value();
        go_on.get_future().wait();
    });
    begun.get_future().wait();
    std::atomic<int> refused = 0;
    const auto count = [&](Result<Database*> database) { refused += database ? 0 : 1; };
    thread_.submit(count);
    std::jthread stopping([&] { thread_.stop(); });
    go_on.set_value();
    stopping.join();
    thread_.submit(count);
    EXPECT_GE(refused, 1);
    EXPECT_LE(refused, 2);
}

asio::awaitable<void> ask_in_vain(StoreThread* thread, Result<std::int64_t>* out) {
    *out = co_await ask<std::int64_t>(thread,
                                      [](Database& database) { return keys_version(database); });
}

TEST_F(StoreThreads, GiveACoroutineTheErrorToo) {
    thread_.stop();
    asio::io_context loop;
    Result<std::int64_t> version = 7;
    asio::co_spawn(loop, ask_in_vain(&thread_, &version), asio::detached);
    loop.run();
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().kind, ErrorKind::store_unavailable);
}

}  // namespace
}  // namespace runnel::storage
