#pragma once

#include "access/key.hpp"
#include "base/sha256.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace runnel::access {

// All keys at one moment, found by their secrets. Never changes once built; pointers into it live
// as long as it does.
class KeyRing {
public:
    KeyRing() = default;
    explicit KeyRing(std::vector<Key> keys);
    KeyRing(KeyRing&&) = default;
    KeyRing& operator=(KeyRing&&) = default;

    // The key that this secret is, or was until a time that is not over yet; null: there is none.
    const Key* find_by_secret(std::string_view secret, UtcTime now) const;
    const Key* find(std::string_view id) const;
    // Whether some key is for pages of this origin, as web_origin() has it. A browser asks before
    // it sends the key.
    bool is_for_pages_of(std::string_view origin) const;
    // By their ids.
    const std::vector<Key>& keys() const { return keys_; }

private:
    struct Match {
        const Key* key;
        std::optional<UtcTime> until;
    };
    struct Hash {
        std::size_t operator()(const Digest& digest) const;
    };
    // In a time that does not tell how much of it is right.
    struct Same {
        bool operator()(const Digest& a, const Digest& b) const;
    };

    std::vector<Key> keys_;
    std::unordered_map<Digest, Match, Hash, Same> by_hash_;
    std::unordered_set<std::string_view> origins_;  // views of the keys' own
    bool has_key_for_all_pages_ = false;
};

// Where the ring in use is put up for all threads to see.
class KeyRingBoard {
public:
    void put(KeyRing ring);
    std::shared_ptr<const KeyRing> get() const;
    // Another number whenever there is another ring.
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const KeyRing> ring_;
    std::atomic<std::uint64_t> version_{0};
};

// One thread's look at the board: no lock unless there is something new. Its pointers count in a
// counter of this thread's own, so that threads don't take its cache line from each other with
// every request.
class KeyRingView {
public:
    // `board` must outlive it; null is a board that nothing is ever put on.
    explicit KeyRingView(const KeyRingBoard* board) : board_(board) {}

    // Null: none has been put up yet.
    const std::shared_ptr<const KeyRing>& ring();

private:
    const KeyRingBoard* board_;
    std::uint64_t version_ = 0;
    std::shared_ptr<const KeyRing> ring_;
};

}  // namespace runnel::access
