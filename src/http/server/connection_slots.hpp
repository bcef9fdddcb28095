#pragma once

#include "base/address_range.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

namespace runnel::http {

// What counts as one client: an IPv4 address, or the first half of an IPv6 one, since whoever has
// one of these has all that begin with it.
runnel::IpBytes network_of(runnel::IpBytes address);

// How many connections clients may have, in all and from one network. Shared by all threads; asked
// a few times in a connection's life.
class ConnectionSlots {
public:
    struct Limits {
        std::size_t all = SIZE_MAX;
        std::size_t per_address = SIZE_MAX;
    };
    ConnectionSlots() = default;
    explicit ConnectionSlots(Limits limits) { set_limits(limits); }

    // Connections that have a slot keep it.
    void set_limits(Limits limits);

    // False: there are as many as may be.
    [[nodiscard]] bool take();
    void give_back();
    [[nodiscard]] bool take_for(const runnel::IpBytes& network);
    void give_back_for(const runnel::IpBytes& network);

    // What there was too little of.
    enum class Lack { all, address, descriptors };
    // A client had to be turned away, or served less. The log is told once in a while.
    void note(Lack lack, std::string_view client_address);
    // A connection that waited was closed to make room.
    void note_closed() { closed_.fetch_add(1, std::memory_order_relaxed); }

    struct Figures {
        std::size_t limit;
        std::uint64_t refused_all;
        std::uint64_t refused_address;
        std::uint64_t refused_descriptors;
        std::uint64_t closed;
    };
    Figures figures() const;

private:
    static constexpr std::size_t lacks = 3;
    bool is_time_to_tell(Lack lack);

    std::atomic<std::size_t> all_ = SIZE_MAX;
    std::atomic<std::size_t> per_address_ = SIZE_MAX;
    std::atomic<std::size_t> taken_ = 0;
    std::mutex mutex_;
    std::map<runnel::IpBytes, std::size_t> by_network_;  // of those who have any
    std::array<std::atomic<std::uint64_t>, lacks> refused_{};
    std::array<std::atomic<std::int64_t>, lacks> told_{};  // when, in milliseconds
    std::atomic<std::uint64_t> closed_ = 0;
};

}  // namespace runnel::http
