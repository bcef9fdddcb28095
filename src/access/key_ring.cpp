#include "access/key_ring.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>

namespace runnel::access {
namespace {

std::optional<std::uint8_t> digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

// A hash as keys have it.
std::optional<Digest> read_hash(std::string_view text) {
    Digest digest;
    if (text.size() != 2 * digest.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const auto high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (!high || !low) return std::nullopt;
        digest[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return digest;
}

}  // namespace

std::size_t KeyRing::Hash::operator()(const Digest& digest) const {
    std::size_t word;
    std::memcpy(&word, digest.data(), sizeof word);
    return word;
}

bool KeyRing::Same::operator()(const Digest& a, const Digest& b) const {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

KeyRing::KeyRing(std::vector<Key> keys) : keys_(std::move(keys)) {
    std::ranges::sort(keys_, {}, &Key::id);
    by_hash_.reserve(keys_.size());
    for (const Key& key : keys_) {
        if (const auto hash = read_hash(key.hash)) by_hash_.emplace(*hash, Match{&key, {}});
        // Without an end it would be good for ever.
        const auto old_hash = key.old_hash_until ? read_hash(key.old_hash) : std::nullopt;
        if (old_hash) by_hash_.emplace(*old_hash, Match{&key, key.old_hash_until});
        if (!key.enabled) continue;
        origins_.insert(key.origins.begin(), key.origins.end());
        if (key.kind == Key::Kind::browser && key.origins.empty()) has_key_for_all_pages_ = true;
    }
}

bool KeyRing::is_for_pages_of(std::string_view origin) const {
    return has_key_for_all_pages_ || origins_.contains(origin);
}

const Key* KeyRing::find_by_secret(std::string_view secret, UtcTime now) const {
    const auto found = by_hash_.find(sha256(secret));
    if (found == by_hash_.end()) return nullptr;
    const auto& [key, until] = found->second;
    return until && *until <= now ? nullptr : key;
}

const Key* KeyRing::find(std::string_view id) const {
    const auto found = std::ranges::lower_bound(keys_, id, {}, &Key::id);
    return found != keys_.end() && found->id == id ? &*found : nullptr;
}

void KeyRingBoard::put(KeyRing ring) {
    auto shared = std::make_shared<const KeyRing>(std::move(ring));
    const std::lock_guard lock(mutex_);
    ring_.swap(shared);
    version_.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const KeyRing> KeyRingBoard::get() const {
    const std::lock_guard lock(mutex_);
    return ring_;
}

const std::shared_ptr<const KeyRing>& KeyRingView::ring() {
    if (board_ == nullptr || board_->version() == version_) return ring_;
    version_ = board_->version();  // before the ring: a newer one is looked at again
    auto newest = board_->get();
    const KeyRing* const shared = newest.get();
    ring_ = {shared, [owner = std::move(newest)](const KeyRing*) {}};
    return ring_;
}

}  // namespace runnel::access
