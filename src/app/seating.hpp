#pragma once

#include "config/config.hpp"
#include "http/server/seats.hpp"

#include <cstddef>

namespace runnel::app {

// How many connections clients may have: what the config says, or what the descriptor limit allows.
// A stream needs two descriptors, its own and its provider's; some are kept for health checks, the
// admin, the store and files.
class Seating {
public:
    explicit Seating(std::size_t threads);

    http::Seats* seats() { return &seats_; }
    // Connections of each thread that are let in without a seat.
    std::size_t essential() const { return essential_; }

    // Before the first client: all that the process opens by itself is open. Says so where the
    // config wants more than there can be.
    void begin(const config::Limits& limits);
    // A config that was read again.
    void use(const config::Limits& limits);

private:
    std::size_t threads_;
    std::size_t essential_;
    std::size_t possible_ = 0;  // connections, by the descriptors
    http::Seats seats_;
};

}  // namespace runnel::app
