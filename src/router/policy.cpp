#include "router/policy.hpp"

namespace runnel::router {
namespace {

template <typename T>
std::optional<T> first_of(const std::optional<T>& one, const std::optional<T>& other) {
    return one ? one : other;
}

}  // namespace

Timeouts Timeouts::or_else(const Timeouts& other) const {
    return {first_of(connect, other.connect), first_of(first_token, other.first_token),
            first_of(idle, other.idle), first_of(total, other.total)};
}

Policy Policy::or_else(const Policy& other) const {
    return {strategy,
            first_of(retries, other.retries),
            first_of(timeout, other.timeout),
            first_of(hedge_after, other.hedge_after),
            first_of(midstream, other.midstream),
            first_of(failover_scope, other.failover_scope),
            timeouts.or_else(other.timeouts)};
}

ModelFacts ModelFacts::or_else(const ModelFacts& other) const {
    return {first_of(tools, other.tools),
            first_of(vision, other.vision),
            first_of(reasoning, other.reasoning),
            first_of(streaming, other.streaming),
            first_of(context_length, other.context_length),
            first_of(max_output, other.max_output)};
}

}  // namespace runnel::router
