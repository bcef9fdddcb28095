#pragma once

#include "config/config.hpp"
#include "config/yaml/yaml_reader.hpp"

#include <optional>

namespace runnel::config {

// `timeouts:` of a provider or a model.
std::optional<router::Timeouts> read_timeouts(const Value& value);

// `retries:`, and how many requests at a time.
std::optional<std::int64_t> read_retries(const Value& value);
std::optional<std::int64_t> read_concurrent(const Value& value);

// The keys of a model that say how it is tried: strategy, retries, timeout, timeouts, hedge and
// midstream.
router::Policy read_policy(const Section& model);
// `policy:`: the same for every model, but for the strategy.
std::optional<router::Policy> read_common_policy(const Value& value);

}  // namespace runnel::config
