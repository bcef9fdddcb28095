#pragma once

#include "timeline/event.hpp"

#include <list>
#include <span>
#include <string_view>

namespace runnel::testing {

// The log probability of one token of choice 0. It stays until the end.
inline timeline::Logprobs logprob(std::string_view token,
                                  timeline::Logprobs::Of of = timeline::Logprobs::Of::text) {
    static std::list<timeline::TokenLogprob> all;
    const timeline::TokenLogprob& kept = all.emplace_back(timeline::TokenLogprob{token, "-1"});
    return {0, of, std::span(&kept, 1)};
}

}  // namespace runnel::testing
