#pragma once

#include "router/policy.hpp"

#include <chrono>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace runnel::router {

// What a strategy looks at.
struct Candidate {
    enum class Fit { ready, unfit } fit = Fit::ready;
    unsigned weight = 1;                       // zero: never first while there is a choice
    std::chrono::microseconds first_token{0};  // zero: not known yet
};

// In which order targets are asked, by their places in `candidates`. Weighted: the first is drawn
// by weight from those that are ready, the others follow as they stand. Least latency: those that
// are ready by their time to the first token, unknown ones first, and now and then somebody else at
// the head, so that the figures stay fresh; then the others as they stand.
std::vector<std::size_t> order_of(Strategy strategy, std::span<const Candidate> candidates,
                                  std::minstd_rand& random);

}  // namespace runnel::router
