#include "access/key_ring.hpp"

#include "access/key_secret.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace runnel::access {
namespace {

using namespace std::chrono_literals;

constexpr UtcTime now(1'800'000'000s);

Key key(std::string id, std::string_view secret) {
    Key made{.id = std::move(id)};
    made.hash = hash_of_secret(secret);
    return made;
}

TEST(KeyRing, FindsKeysBySecretAndById) {
    const KeyRing ring({key("b", "rk-two"), key("a", "rk-one")});
    EXPECT_EQ(ring.find_by_secret("rk-one", now)->id, "a");
    EXPECT_EQ(ring.find_by_secret("rk-two", now)->id, "b");
    EXPECT_EQ(ring.find("b")->id, "b");
    EXPECT_EQ(ring.find("c"), nullptr);
    EXPECT_EQ(ring.keys().front().id, "a");
}

TEST(KeyRing, KnowsNoOtherSecret) {
    const KeyRing ring({key("a", "rk-one")});
    for (const std::string_view other : {"", "rk-on", "rk-one ", "RK-ONE", "rk-onee"})
        EXPECT_EQ(ring.find_by_secret(other, now), nullptr) << other;
    // Whoever reads the store has hashes, not keys.
    EXPECT_EQ(ring.find_by_secret(hash_of_secret("rk-one"), now), nullptr);
    EXPECT_EQ(KeyRing().find_by_secret("", now), nullptr);
}

TEST(KeyRing, TakesAnOldSecretUntilItsTimeIsOver) {
    Key rotated = key("a", "rk-new");
    rotated.old_hash = hash_of_secret("rk-old");
    EXPECT_EQ(KeyRing({rotated}).find_by_secret("rk-old", now), nullptr) << "without an end";
    rotated.old_hash_until = now + 1h;
    const KeyRing ring({rotated});
    EXPECT_EQ(ring.find_by_secret("rk-old", now)->id, "a");
    EXPECT_EQ(ring.find_by_secret("rk-old", now + 1h), nullptr);
    EXPECT_EQ(ring.find_by_secret("rk-new", now + 1h)->id, "a");
}

TEST(KeyRing, PassesOverHashesThatAreNone) {
    Key broken = key("a", "rk-one");
    broken.hash = "not hexadecimal";
    const KeyRing ring({broken, Key{.id = "b"}});
    EXPECT_EQ(ring.keys().size(), 2u);
    EXPECT_EQ(ring.find_by_secret("rk-one", now), nullptr);
}

TEST(KeyRing, IsSeenByOthersOnceItIsPutUp) {
    KeyRingBoard board;
    KeyRingView view(&board);
    EXPECT_EQ(view.ring(), nullptr);
    board.put(KeyRing({key("a", "rk-one")}));
    const auto first = view.ring();
    EXPECT_NE(first->find("a"), nullptr);
    EXPECT_EQ(view.ring(), first);
    board.put(KeyRing());
    EXPECT_EQ(view.ring()->find("a"), nullptr);
    EXPECT_NE(first->find("a"), nullptr) << "a request keeps the ring that it began with";
    EXPECT_EQ(KeyRingView(nullptr).ring(), nullptr);
}

TEST(KeyRing, ChangesUnderManyReaders) {
    KeyRingBoard board;
    board.put(KeyRing({key("0", "rk-one")}));
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&board](const std::stop_token& stop) {
            KeyRingView view(&board);
            while (!stop.stop_requested())
                ASSERT_NE(view.ring()->find_by_secret("rk-one", now), nullptr);
        });
    for (int i = 1; i < 500; ++i) board.put(KeyRing({key(std::to_string(i), "rk-one")}));
    for (auto& reader : readers) reader.request_stop();
    readers.clear();
    EXPECT_NE(KeyRingView(&board).ring()->find("499"), nullptr);
}

}  // namespace
}  // namespace runnel::access
