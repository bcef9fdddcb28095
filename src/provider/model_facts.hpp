#pragma once

#include "router/policy.hpp"

#include <string_view>

namespace runnel::provider {

// What is well known of a model of this kind of provider, from a table that ships with Runnel. A
// "no" keeps requests away from the model, so that only what its maker says is in there.
router::ModelFacts known_facts(std::string_view kind, std::string_view model);

}  // namespace runnel::provider
