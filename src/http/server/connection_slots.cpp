#include "http/server/connection_slots.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <chrono>

namespace runnel::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds tell_again_time = 10s;
constexpr std::size_t network_bytes = 8;  // of an IPv6 address

struct Telling {
    std::string_view limit;
    std::string_view cure;
};

Telling telling_of(ConnectionSlots::Lack lack) {
    switch (lack) {
        case ConnectionSlots::Lack::all:
            return {"limits.connections",
                    "raise it and the descriptor limit (ulimit -n, LimitNOFILE=), or find out who "
                    "opens so many"};
        case ConnectionSlots::Lack::address:
            return {"limits.connections_per_address",
                    "raise it; where the address is a proxy's, name it in trusted_proxies"};
        case ConnectionSlots::Lack::descriptors: break;
    }
    return {"descriptors",
            "raise the descriptor limit (ulimit -n, LimitNOFILE=), or lower limits.connections"};
}

}  // namespace

runnel::IpBytes network_of(runnel::IpBytes address) {
    constexpr std::array<std::uint8_t, 12> v4_in_v6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (!std::equal(v4_in_v6.begin(), v4_in_v6.end(), address.begin()))
        std::fill(address.begin() + network_bytes, address.end(), std::uint8_t{0});
    return address;
}

void ConnectionSlots::set_limits(Limits limits) {
    all_.store(limits.all, std::memory_order_relaxed);
    per_address_.store(limits.per_address, std::memory_order_relaxed);
}

bool ConnectionSlots::take() {
    if (taken_.fetch_add(1, std::memory_order_relaxed) < all_.load(std::memory_order_relaxed))
        return true;
    give_back();
    return false;
}

void ConnectionSlots::give_back() { taken_.fetch_sub(1, std::memory_order_relaxed); }

bool ConnectionSlots::take_for(const runnel::IpBytes& network) {
    const std::scoped_lock lock(mutex_);
    const auto [entry, is_new] = by_network_.try_emplace(network, 0);
    if (entry->second >= per_address_.load(std::memory_order_relaxed)) {
        if (is_new) by_network_.erase(entry);
        return false;
    }
    ++entry->second;
    return true;
}

void ConnectionSlots::give_back_for(const runnel::IpBytes& network) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_network_.find(network);
    if (found != by_network_.end() && --found->second == 0) by_network_.erase(found);
}

void ConnectionSlots::note(Lack lack, std::string_view client_address) {
    const std::uint64_t count =
        1 + refused_[static_cast<std::size_t>(lack)].fetch_add(1, std::memory_order_relaxed);
    if (!is_time_to_tell(lack)) return;
    const auto [limit, cure] = telling_of(lack);
    log::Line line(log::Level::warning, "too many connections");
    line.add("limit", limit);
    if (lack == Lack::all) line.add("connections", all_.load(std::memory_order_relaxed));
    if (lack == Lack::address)
        line.add("connections", per_address_.load(std::memory_order_relaxed));
    if (!client_address.empty()) line.add("client_address", client_address);
    line.add("refused", count).add("detail", cure).write();
}

bool ConnectionSlots::is_time_to_tell(Lack lack) {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count();
    auto& told = told_[static_cast<std::size_t>(lack)];
    std::int64_t before = told.load(std::memory_order_relaxed);
    return (before == 0 || now - before >= tell_again_time.count()) &&
           told.compare_exchange_strong(before, now, std::memory_order_relaxed);
}

ConnectionSlots::Figures ConnectionSlots::figures() const {
    const auto refused = [&](Lack lack) {
        return refused_[static_cast<std::size_t>(lack)].load(std::memory_order_relaxed);
    };
    return {all_.load(std::memory_order_relaxed), refused(Lack::all), refused(Lack::address),
            refused(Lack::descriptors), closed_.load(std::memory_order_relaxed)};
}

}  // namespace runnel::http
