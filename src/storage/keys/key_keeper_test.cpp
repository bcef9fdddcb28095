#include "storage/keys/key_keeper.hpp"

#include "storage/keys/keys.hpp"
#include "support/databases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>

namespace runnel::storage {
namespace {

using namespace std::chrono_literals;
using access::Key;

const Actor admin{"token", "127.0.0.1"};

Key key(const std::string& id) { return {.id = id, .hash = std::string(62, '0') + id}; }

// True as soon as it is so; false when it is not so for ten seconds.
template <class Condition>
bool soon(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

// The answer of a change that goes through the keeper.
template <class Change>
auto made(KeyKeeper& keeper, Change change) {
    using Answer = decltype(change(std::declval<Database&>()));
    std::promise<Answer> promise;
    keeper.thread()->submit(
        [&, effective = keeper.effective(change)](Result<Database*> database) mutable {
            promise.set_value(effective(**database));
        });
    return promise.get_future().get();
}

class KeepingKeys : public testing::OnEachDatabase {
protected:
    bool knows(const std::string& id) const { return board_.get()->find(id) != nullptr; }

    access::KeyRingBoard board_;
};

TEST_P(KeepingKeys, BeginsWithThoseThatAreThere) {
    const auto database = open();
    ASSERT_TRUE(insert_key(*database, key("k1"), admin));
    KeyKeeper keeper(open(), &board_);
    EXPECT_EQ(board_.get(), nullptr);
    ASSERT_TRUE(keeper.start());
    EXPECT_TRUE(knows("k1"));
}

TEST_P(KeepingKeys, SeesWhatOthersDoWithinASecond) {
    const auto database = open();
    KeyKeeper keeper(open(), &board_);
    ASSERT_TRUE(keeper.start());
    auto shortest = std::chrono::steady_clock::duration::max();
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(insert_key(*database, key("k1"), admin));
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(soon([&] { return knows("k1"); }));
        shortest = std::min(shortest, std::chrono::steady_clock::now() - began);
        ASSERT_TRUE(delete_key(*database, "k1", admin));
        EXPECT_TRUE(soon([&] { return !knows("k1"); }));
    }
    EXPECT_LT(shortest, 1s);  // the machine may be busy, but not always
    const auto version = board_.version();
    std::this_thread::sleep_for(2 * KeyKeeper::look_time);
    EXPECT_EQ(board_.version(), version) << "nothing is put up where nothing has changed";
}

TEST_P(KeepingKeys, SeesWhatItDoesItselfAtOnce) {
    KeyKeeper keeper(open(), &board_);
    ASSERT_TRUE(keeper.start());
    for (int i = 0; i < 20; ++i) {
        const std::string id = "k" + std::to_string(i);
        EXPECT_TRUE(
            made(keeper, [&](Database& database) { return insert_key(database, key(id), admin); }));
        EXPECT_TRUE(knows(id));
        EXPECT_TRUE(
            made(keeper, [&](Database& database) { return delete_key(database, id, admin); }));
        EXPECT_FALSE(knows(id));
    }
}

TEST_P(KeepingKeys, ForgetsNoOldSecret) {
    const auto database = open();
    Key rotated = key("k1");
    rotated.old_hash = std::string(64, 'a');
    rotated.old_hash_until = access::UtcTime(1'800'000'000'123ms);
    ASSERT_TRUE(insert_key(*database, rotated, admin));
    KeyKeeper keeper(open(), &board_);
    ASSERT_TRUE(keeper.start());
    EXPECT_EQ(board_.get()->find("k1")->old_hash, rotated.old_hash);
    EXPECT_EQ(board_.get()->find("k1")->old_hash_until, rotated.old_hash_until);
}

INSTANTIATE_TEST_SUITE_P(Databases, KeepingKeys, testing::each_database(), testing::database_name);

// A database that comes and goes.
class Unsteady final : public Database {
public:
    Unsteady(std::unique_ptr<Database> database, const std::atomic<bool>* gone)
        : database_(std::move(database)),
          gone_(gone) {}

    Kind kind() const override { return database_->kind(); }
    Result<Rows> run(std::string_view statement, std::span<const Parameter> parameters) override {
        if (*gone_) return fail(ErrorKind::store_unavailable, "gone");
        return database_->run(statement, parameters);
    }
    Result<Rows> run_each(std::string_view, std::size_t, std::span<const Parameter>) override {
        return fail(ErrorKind::internal_error, "not for keys");
    }
    Result<void> wipe_deleted() override { return {}; }

private:
    Result<void> begin() override { return {}; }
    Result<void> commit() override { return {}; }
    void roll_back() override {}

    std::unique_ptr<Database> database_;
    const std::atomic<bool>* gone_;
};

TEST(KeyKeeper, KeepsTheLastKeysWhileTheStoreIsGone) {
    const testing::TemporaryFolder folder;
    const auto open = [&] { return std::move(*open_database({}, folder.path())); };
    const auto database = open();
    ASSERT_TRUE(insert_key(*database, key("k1"), admin));
    std::atomic<bool> gone = true;
    access::KeyRingBoard board;
    KeyKeeper keeper(std::make_unique<Unsteady>(open(), &gone), &board);
    EXPECT_FALSE(keeper.start());
    EXPECT_EQ(board.get(), nullptr);

    gone = false;
    EXPECT_TRUE(soon([&] { return board.get() != nullptr; })) << "it goes on trying";
    gone = true;
    ASSERT_TRUE(delete_key(*database, "k1", admin));
    std::this_thread::sleep_for(2 * KeyKeeper::look_time);
    EXPECT_NE(board.get()->find("k1"), nullptr);
    gone = false;
    EXPECT_TRUE(soon([&] { return board.get()->find("k1") == nullptr; }));
}

}  // namespace
}  // namespace runnel::storage
