#include "base/error.hpp"

#include <array>

namespace runnel {
namespace {

struct Row {
    ErrorKind kind;
    std::string_view name;
    ErrorShape shape;
};

constexpr std::string_view request_error = "invalid_request_error";
constexpr std::string_view server_error = "server_error";

// In the order of ErrorKind, so that a kind is its row's index; shape_of() relies on it and the
// test checks it.
constexpr std::array rows{
    Row{ErrorKind::invalid_json, "invalid_json", {400, request_error, "invalid_json"}},
    Row{ErrorKind::missing_required_field,
        "missing_required_field",
        {400, request_error, "missing_required_field"}},
    Row{ErrorKind::invalid_value, "invalid_value", {400, request_error, "invalid_value"}},
    Row{ErrorKind::unsupported_parameter,
        "unsupported_parameter",
        {400, request_error, "unsupported_parameter"}},
    Row{ErrorKind::context_length_exceeded,
        "context_length_exceeded",
        {400, request_error, "context_length_exceeded"}},
    Row{ErrorKind::content_policy_violation,
        "content_policy_violation",
        {400, request_error, "content_policy_violation"}},
    Row{ErrorKind::invalid_stream_dialect,
        "invalid_stream_dialect",
        {400, request_error, "invalid_stream_dialect"}},
    Row{ErrorKind::tool_schema_invalid,
        "tool_schema_invalid",
        {400, request_error, "tool_schema_invalid"}},
    Row{ErrorKind::tool_choice_invalid,
        "tool_choice_invalid",
        {400, request_error, "tool_choice_invalid"}},
    Row{ErrorKind::tool_call_id_mismatch,
        "tool_call_id_mismatch",
        {400, request_error, "tool_call_id_mismatch"}},
    Row{ErrorKind::previous_response_not_found,
        "previous_response_not_found",
        {400, request_error, "previous_response_not_found"}},
    Row{ErrorKind::tool_unsupported_for_model,
        "tool_unsupported_for_model",
        {400, request_error, "tool_unsupported_for_model"}},
    Row{ErrorKind::model_not_found, "model_not_found", {404, "not_found_error", "model_not_found"}},
    Row{ErrorKind::not_found, "not_found", {404, "not_found_error", "not_found"}},
    Row{ErrorKind::method_not_allowed,
        "method_not_allowed",
        {405, request_error, "method_not_allowed"}},
    Row{ErrorKind::unsupported_media_type,
        "unsupported_media_type",
        {415, request_error, "unsupported_media_type"}},
    Row{ErrorKind::request_timeout, "request_timeout", {408, request_error, "request_timeout"}},
    Row{ErrorKind::request_too_large,
        "request_too_large",
        {413, request_error, "request_too_large"}},
    Row{ErrorKind::headers_too_large,
        "headers_too_large",
        {431, request_error, "headers_too_large"}},
    Row{ErrorKind::missing_api_key,
        "missing_api_key",
        {401, "authentication_error", "missing_api_key"}},
    Row{ErrorKind::invalid_api_key,
        "invalid_api_key",
        {401, "authentication_error", "invalid_api_key"}},
    Row{ErrorKind::expired_api_key,
        "expired_api_key",
        {401, "authentication_error", "expired_api_key"}},
    Row{ErrorKind::missing_wallet_address,
        "missing_wallet_address",
        {401, "authentication_error", "missing_wallet_address"}},
    Row{ErrorKind::invalid_wallet_address,
        "invalid_wallet_address",
        {401, "authentication_error", "invalid_wallet_address"}},
    Row{ErrorKind::insufficient_scope,
        "insufficient_scope",
        {403, "permission_error", "insufficient_scope"}},
    Row{ErrorKind::model_not_allowed,
        "model_not_allowed",
        {403, "permission_error", "model_not_allowed"}},
    Row{ErrorKind::public_key_restricted,
        "public_key_restricted",
        {403, "permission_error", "public_key_restricted"}},
    Row{ErrorKind::origin_not_allowed,
        "origin_not_allowed",
        {403, "permission_error", "origin_not_allowed"}},
    Row{ErrorKind::address_not_allowed,
        "address_not_allowed",
        {403, "permission_error", "address_not_allowed"}},
    Row{ErrorKind::insufficient_balance,
        "insufficient_balance",
        {402, "billing_error", "insufficient_balance"}},
    Row{ErrorKind::key_spend_limit_reached,
        "key_spend_limit_reached",
        {402, "billing_error", "key_spend_limit_reached"}},
    Row{ErrorKind::rate_limit_exceeded,
        "rate_limit_exceeded",
        {429, "rate_limit_error", "rate_limit_exceeded"}},
    Row{ErrorKind::concurrency_limit_exceeded,
        "concurrency_limit_exceeded",
        {429, "rate_limit_error", "concurrency_limit_exceeded"}},
    Row{ErrorKind::guardrail_blocked,
        "guardrail_blocked",
        {400, request_error, "guardrail_blocked"}},
    Row{ErrorKind::response_schema_unsatisfied,
        "response_schema_unsatisfied",
        {400, request_error, "response_schema_unsatisfied"}},
    Row{ErrorKind::tool_call_invalid_arguments,
        "tool_call_invalid_arguments",
        {400, request_error, "tool_call_invalid_arguments"}},
    Row{ErrorKind::upstream_rejected, "upstream_rejected", {400, request_error, "invalid_value"}},
    Row{ErrorKind::upstream_auth, "upstream_auth", {502, server_error, "tool_provider_error"}},
    Row{ErrorKind::upstream_permission,
        "upstream_permission",
        {502, server_error, "tool_provider_error"}},
    Row{ErrorKind::upstream_quota,
        "upstream_quota",
        {429, "rate_limit_error", "upstream_rate_limited"}},
    Row{ErrorKind::upstream_rate_limited,
        "upstream_rate_limited",
        {429, "rate_limit_error", "upstream_rate_limited"}},
    Row{ErrorKind::upstream_overloaded,
        "upstream_overloaded",
        {502, server_error, "tool_provider_error"}},
    Row{ErrorKind::upstream_failed, "upstream_failed", {502, server_error, "tool_provider_error"}},
    Row{ErrorKind::upstream_timeout, "upstream_timeout", {504, server_error, "upstream_timeout"}},
    Row{ErrorKind::upstream_unreachable,
        "upstream_unreachable",
        {502, server_error, "upstream_error"}},
    Row{ErrorKind::upstream_malformed, "upstream_malformed", {502, server_error, "upstream_error"}},
    Row{ErrorKind::upstream_truncated, "upstream_truncated", {502, server_error, "upstream_error"}},
    Row{ErrorKind::upstream_empty, "upstream_empty", {502, server_error, "upstream_error"}},
    Row{ErrorKind::model_unavailable,
        "model_unavailable",
        {503, server_error, "model_unavailable"}},
    Row{ErrorKind::overloaded, "overloaded", {503, server_error, "overloaded"}},
    Row{ErrorKind::store_unavailable,
        "store_unavailable",
        {503, server_error, "store_unavailable"}},
    Row{ErrorKind::internal_error, "internal_error", {500, server_error, "internal_error"}},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (static_cast<std::size_t>(rows[i].kind) != i) return false;
    return rows.size() == static_cast<std::size_t>(ErrorKind::internal_error) + 1;
}
static_assert(in_order(), "one row per ErrorKind, in its order");

}  // namespace

ErrorShape shape_of(ErrorKind kind) { return rows[static_cast<std::size_t>(kind)].shape; }

std::string_view name_of(ErrorKind kind) { return rows[static_cast<std::size_t>(kind)].name; }

bool retryable(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::upstream_rate_limited:
        case ErrorKind::upstream_overloaded:
        case ErrorKind::upstream_failed:
        case ErrorKind::upstream_timeout:
        case ErrorKind::upstream_unreachable:
        case ErrorKind::upstream_malformed:
        case ErrorKind::upstream_truncated: return true;
        default: return false;
    }
}

}  // namespace runnel
