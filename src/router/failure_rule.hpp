#pragma once

#include "base/error.hpp"

#include <chrono>
#include <optional>

namespace runnel::router {

// What a kind of failure means for the request, and for the target that failed.
struct FailureRule {
    enum class Then {
        retry,               // it may pass: the same target, later
        other_key_or_retry,  // this key has had enough for now
        other_key,           // this key is of no use
        next_target,         // this target is of no use for this request
        give_up              // it would fail everywhere
    };
    Then then = Then::give_up;
    // Whether the breaker hears of it: a limit, a wrong key or the client's mistake is no sign of a
    // provider in trouble.
    enum class Blame { nobody, target } blame = Blame::nobody;
    // How long the target rests where the provider doesn't say it; empty: not at all.
    std::optional<std::chrono::milliseconds> rest{};
};

FailureRule rule_of(ErrorKind kind);

}  // namespace runnel::router
