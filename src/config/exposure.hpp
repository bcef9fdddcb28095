#pragma once

#include "config/config.hpp"

#include <optional>
#include <string>

namespace runnel::config {

// What is wrong with a gateway that everybody in a network may use, and the cure; none where it is
// for this machine alone, asks who comes, or is said to be meant so.
std::optional<std::string> exposure_of(const Config& config);

}  // namespace runnel::config
