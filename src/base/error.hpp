#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace runnel {

// Every way a request can fail, one name each. The wire form (HTTP status, type, code) hangs off
// the kind in one table (error.cpp); nothing else in the program decides on text.
enum class ErrorKind {
    // The client's request.
    invalid_json,
    missing_required_field,
    invalid_value,
    unsupported_parameter,
    context_length_exceeded,
    content_policy_violation,
    invalid_stream_dialect,
    tool_schema_invalid,
    tool_choice_invalid,
    tool_call_id_mismatch,
    previous_response_not_found,
    tool_unsupported_for_model,
    model_not_found,
    not_found,
    method_not_allowed,
    unsupported_media_type,
    request_timeout,
    request_too_large,
    headers_too_large,
    missing_api_key,
    invalid_api_key,
    expired_api_key,
    missing_wallet_address,
    invalid_wallet_address,
    insufficient_scope,       // whoever asks may not do this
    model_not_allowed,        // nor use this model
    public_key_restricted,    // a browser's key asked for more than it may
    origin_not_allowed,       // this key is for other pages
    address_not_allowed,      // or for other machines
    insufficient_balance,     // a team's or a model's money is spent
    key_spend_limit_reached,  // the key's own is
    rate_limit_exceeded,
    concurrency_limit_exceeded,
    guardrail_blocked,
    response_schema_unsatisfied,
    tool_call_invalid_arguments,
    // The provider. Named by what happened, because retry and failover ask for the kind.
    upstream_rejected,      // 400/422: the same request fails elsewhere too
    upstream_auth,          // our credential is bad: never the client's fault
    upstream_permission,    // our credential may not use this model
    upstream_quota,         // our account is out of money or quota
    upstream_rate_limited,  // come back later
    upstream_overloaded,    // the provider is
    upstream_failed,        // the provider says it failed
    upstream_timeout,       // nothing came in time
    upstream_unreachable,   // no connection
    upstream_malformed,     // an answer nobody can read
    upstream_truncated,     // the stream ended without its terminal marker
    upstream_empty,         // an answer that says nothing at all
    // Us.
    model_unavailable,
    overloaded,
    store_unavailable,
    internal_error,
};

struct ErrorShape {
    int status;             // HTTP status before the stream has begun
    std::string_view type;  // OpenAI's error.type
    std::string_view code;  // OpenAI's error.code
};

// A provider's error in the words of its own API, for clients that speak the same.
struct NativeError {
    std::string api;  // its name
    int status = 0;   // 0: it came inside an answer
    std::string type;
    std::string message;  // without credentials
};

struct Error {
    ErrorKind kind = ErrorKind::internal_error;
    std::string message;  // safe to show to the client: no URL, key or upstream body
    std::string param{};  // the request field at fault, or empty
    // What only the log may see: the provider's own words, addresses, reasons.
    std::string detail{};
    std::optional<std::chrono::milliseconds> retry_after{};
    std::shared_ptr<const NativeError> native{};  // null: it has none

    // The provider's own words in that API; null: there are none.
    const NativeError* native_in(std::string_view api) const {
        return native != nullptr && native->api == api ? native.get() : nullptr;
    }
};

ErrorShape shape_of(ErrorKind kind);
std::string_view name_of(ErrorKind kind);

// True when another attempt, on this target or the next, may succeed.
bool retryable(ErrorKind kind);

}  // namespace runnel
