#pragma once

#include "config/config.hpp"
#include "config/yaml_reader.hpp"

namespace runnel::config {

// Where clients connect, and how: listen, tls, trusted_proxies, proxy_protocol.
void read_listener(const Section& file, Config& config);

// After all else is read: whether who may ask fits where it listens.
void check_exposure(const Section& file, const Config& config);

}  // namespace runnel::config
