#include "router/failure_rule.hpp"

#include <gtest/gtest.h>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using Then = FailureRule::Then;
using Blame = FailureRule::Blame;

void expect_rule(ErrorKind kind, const FailureRule& expected) {
    const FailureRule rule = rule_of(kind);
    EXPECT_EQ(rule.then, expected.then) << name_of(kind);
    EXPECT_EQ(rule.blame, expected.blame) << name_of(kind);
    EXPECT_EQ(rule.rest, expected.rest) << name_of(kind);
}

TEST(FailureRule, FollowsFromTheKind) {
    using enum ErrorKind;
    for (const ErrorKind kind : {upstream_failed, upstream_overloaded, upstream_unreachable,
                                 upstream_malformed, upstream_truncated})
        expect_rule(kind, {Then::retry, Blame::target});
    expect_rule(upstream_timeout, {Then::next_target, Blame::target});
    expect_rule(upstream_rate_limited, {Then::other_key_or_retry, Blame::nobody, 1s});
    expect_rule(upstream_quota, {Then::other_key, Blame::nobody, 60s});
    for (const ErrorKind kind : {upstream_auth, upstream_permission})
        expect_rule(kind, {Then::other_key, Blame::nobody, 60s});
    for (const ErrorKind kind : {model_not_found, tool_unsupported_for_model, unsupported_parameter,
                                 context_length_exceeded, upstream_empty, overloaded})
        expect_rule(kind, {Then::next_target});
    for (const ErrorKind kind :
         {invalid_json, missing_required_field, invalid_value, content_policy_violation,
          invalid_stream_dialect, tool_schema_invalid, tool_choice_invalid, tool_call_id_mismatch,
          not_found, method_not_allowed, unsupported_media_type, request_timeout, request_too_large,
          headers_too_large, upstream_rejected, model_unavailable, internal_error})
        expect_rule(kind, {Then::give_up});
}

}  // namespace
}  // namespace runnel::router
