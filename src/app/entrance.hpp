#pragma once

#include "base/result.hpp"
#include "config/config.hpp"
#include "http/server/connection_slots.hpp"
#include "http/server/listener.hpp"
#include "http/tls.hpp"

#include <cstddef>

namespace runnel::app {

http::ServerTlsFiles tls_files(const config::Tls& tls);

// How clients come in, by the config; its TLS files are read.
Result<http::Entrance> open_entrance(const config::Config& config, http::ConnectionLimits limits);

// How many connections clients may have: what the config says, or what the descriptor limit allows.
// A stream needs two descriptors, its own and its provider's; some are kept for health checks, the
// admin, the store and files.
class ConnectionQuota {
public:
    explicit ConnectionQuota(std::size_t threads);

    http::ConnectionSlots* slots() { return &slots_; }
    // Connections of each thread that are let in without a slot.
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
    http::ConnectionSlots slots_;
};

}  // namespace runnel::app
