#include "router/failure_rule.hpp"

namespace runnel::router {

using namespace std::chrono_literals;

FailureRule rule_of(ErrorKind kind) {
    using Then = FailureRule::Then;
    using Blame = FailureRule::Blame;
    switch (kind) {
        case ErrorKind::upstream_failed:
        case ErrorKind::upstream_overloaded:
        case ErrorKind::upstream_unreachable:
        case ErrorKind::upstream_malformed:
        case ErrorKind::upstream_truncated: return {Then::retry, Blame::target};
        // Who was silent once is not waited for again while the client waits.
        case ErrorKind::upstream_timeout: return {Then::next_target, Blame::target};
        case ErrorKind::upstream_rate_limited: return {Then::other_key_or_retry, Blame::nobody, 1s};
        case ErrorKind::upstream_quota: return {Then::other_key, Blame::nobody, 60s};
        case ErrorKind::upstream_auth:
        case ErrorKind::upstream_permission: return {Then::other_key, Blame::nobody, 60s};
        // Whoever has nothing to say may be right; another one is asked all the same.
        case ErrorKind::upstream_empty:
        // As many requests as we may make there are being made.
        case ErrorKind::overloaded:
        // Another model may take longer conversations.
        case ErrorKind::context_length_exceeded:
        case ErrorKind::model_not_found:
        case ErrorKind::tool_unsupported_for_model:
        case ErrorKind::unsupported_parameter: return {Then::next_target};
        default: return {Then::give_up};
    }
}

}  // namespace runnel::router
