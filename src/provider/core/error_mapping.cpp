#include "base/ascii.hpp"
#include "base/foreign_text.hpp"
#include "base/utf8.hpp"
#include "provider/core/error_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

// From a provider's facts to our Error: names first, because they are meant for programs; then the
// few sentences that are all some providers give; then the HTTP status.
namespace runnel::provider {
namespace {

using enum ErrorKind;

struct Named {
    std::string_view name;  // error.type, error.code, Google's status, AWS' class; in lower case
    ErrorKind kind;
};

constexpr auto names = std::to_array<Named>({
    {"context_length_exceeded", context_length_exceeded},
    {"exceed_context_size_error", context_length_exceeded},
    {"model_max_prompt_tokens_exceeded", context_length_exceeded},
    {"too_many_prompt_tokens", context_length_exceeded},
    {"content_filter", content_policy_violation},
    {"content_policy_violation", content_policy_violation},
    {"data_inspection_failed", content_policy_violation},
    {"invalid_prompt", content_policy_violation},
    {"moderation", content_policy_violation},
    {"responsibleaipolicyviolation", content_policy_violation},
    {"request_too_large", request_too_large},
    {"api_key_expired", upstream_auth},
    {"api_key_invalid", upstream_auth},
    {"authentication_error", upstream_auth},
    {"expiredtoken", upstream_auth},
    {"expiredtokenexception", upstream_auth},
    {"incorrect_api_key_error", upstream_auth},
    {"invalid_api_key", upstream_auth},
    {"invalid_authentication_error", upstream_auth},
    {"invalidsignatureexception", upstream_auth},
    {"unauthenticated", upstream_auth},
    {"unrecognizedclientexception", upstream_auth},
    {"accessdeniedexception", upstream_permission},
    {"failed_precondition", upstream_permission},
    {"permission_denied", upstream_permission},
    {"permission_error", upstream_permission},
    {"unsupported_country_region_territory", upstream_permission},
    {"account_suspended", upstream_quota},
    {"allocationquota.freetieronly", upstream_quota},
    {"arrearage", upstream_quota},
    {"billing_error", upstream_quota},
    {"billing_hard_limit_reached", upstream_quota},
    {"credit_balance_exhausted", upstream_quota},
    {"enforced_spend_limit_reached", upstream_quota},
    {"exceeded_current_quota_error", upstream_quota},
    {"insufficient_quota", upstream_quota},
    {"organization_spend_limit_exceeded", upstream_quota},
    {"organization_usage_limit_exceeded", upstream_quota},
    {"project_spend_limit_exceeded", upstream_quota},
    {"servicequotaexceededexception", upstream_quota},
    {"nocapacity", upstream_rate_limited},
    {"openrouter_in_flight_budget", upstream_rate_limited},
    {"rate_limit_error", upstream_rate_limited},
    {"rate_limit_exceeded", upstream_rate_limited},
    {"rate_limit_reached_error", upstream_rate_limited},
    {"ratelimitreached", upstream_rate_limited},
    {"resource_exhausted", upstream_rate_limited},
    {"throttlingexception", upstream_rate_limited},
    {"capacity_exceeded", upstream_overloaded},
    {"engine_overloaded_error", upstream_overloaded},
    {"modelnotreadyexception", upstream_overloaded},
    {"overloaded_error", upstream_overloaded},
    {"server_is_overloaded", upstream_overloaded},
    {"serviceunavailableexception", upstream_overloaded},
    {"slow_down", upstream_overloaded},
    {"unavailable", upstream_overloaded},
    {"unavailable_error", upstream_overloaded},
    {"deadline_exceeded", upstream_timeout},
    {"modeltimeoutexception", upstream_timeout},
    {"timeout_error", upstream_timeout},
    {"json_validate_failed", upstream_malformed},
    {"tool_use_failed", upstream_malformed},
    {"deploymentnotfound", model_not_found},
    {"invalid_model", model_not_found},
    {"model_decommissioned", model_not_found},
    {"model_not_available", model_not_found},
    {"model_not_found", model_not_found},
    {"not_found", model_not_found},
    {"not_found_error", model_not_found},
    {"resource_not_found_error", model_not_found},
    {"resourcenotfoundexception", model_not_found},
});

// Names so broad that a status or a sentence says more.
constexpr auto broad_names = std::to_array<Named>({
    {"bad_request", upstream_rejected},
    {"badrequesterror", upstream_rejected},
    {"invalid-argument", upstream_rejected},
    {"invalid_argument", upstream_rejected},
    {"invalid_request_error", upstream_rejected},
    {"validationexception", upstream_rejected},
});

// Parts of sentences, in lower case; only where the request itself may be at fault.
constexpr auto sentences = std::to_array<Named>({
    {"maximum context length", context_length_exceeded},
    {"max context length", context_length_exceeded},
    {"prompt is too long", context_length_exceeded},
    {"prompt too long", context_length_exceeded},
    {"maximum prompt length", context_length_exceeded},
    {"exceeded model token limit", context_length_exceeded},
    {"input token count", context_length_exceeded},
    {"input is too long", context_length_exceeded},
    {"input tokens exceeded", context_length_exceeded},
    {"available context size", context_length_exceeded},
    {"context window", context_length_exceeded},
    {"exceed context limit", context_length_exceeded},
    {"context length of only", context_length_exceeded},
    {"greater than the context length", context_length_exceeded},
    {"maximum input length", context_length_exceeded},
    {"maximum model length", context_length_exceeded},
    {"prompt exceeds max length", context_length_exceeded},
    {"range of input length", context_length_exceeded},
    {"longer than the model's context length", context_length_exceeded},
    {"tokens + `max_new_tokens` must be", context_length_exceeded},
    {"reduce the length of the messages", context_length_exceeded},
    {"incorrect api key", upstream_auth},
    {"invalid api key", upstream_auth},
    {"api key not valid", upstream_auth},
    {"security token included in the request", upstream_auth},
    {"signature expired", upstream_auth},
    {"credit balance", upstream_quota},
    {"daily free allocation", upstream_quota},
    {"usage limits", upstream_quota},
    {"insufficient balance", upstream_quota},
    {"insufficient credits", upstream_quota},
    {"have any credits", upstream_quota},
    {"content management policy", content_policy_violation},
    {"content filtering policy", content_policy_violation},
    {"unsafe or sensitive content", content_policy_violation},
    {"violates usage guidelines", content_policy_violation},
    {"does not support tools", tool_unsupported_for_model},
    {"found that support tool use", tool_unsupported_for_model},
    {"is not a valid model id", model_not_found},
    {"model identifier is invalid", model_not_found},
});

std::optional<ErrorKind> kind_named(std::span<const Named> rows, const ErrorFacts& facts) {
    for (const std::string& name : {ascii::lowered(facts.code), ascii::lowered(facts.type)}) {
        const auto found = std::ranges::find(rows, std::string_view(name), &Named::name);
        if (found != rows.end()) return found->kind;
    }
    return std::nullopt;
}

std::optional<ErrorKind> kind_said(const std::string& message) {
    const auto found = std::ranges::find_if(
        sentences, [&](const Named& row) { return message.find(row.name) != std::string::npos; });
    if (found == sentences.end()) return std::nullopt;
    return found->kind;
}

std::optional<ErrorKind> kind_of_status(int status) {
    switch (status) {
        case 0: return std::nullopt;
        case 401: return upstream_auth;
        case 402: return upstream_quota;
        case 403: return upstream_permission;
        case 404:
        case 410: return model_not_found;
        case 408:
        case 504: return upstream_timeout;
        case 409:
        case 424:
        case 499: return upstream_failed;
        case 413: return request_too_large;
        case 429: return upstream_rate_limited;
        case 498:
        case 503:
        case 529: return upstream_overloaded;
        default: break;
    }
    if (status < 400) return upstream_malformed;
    return status < 500 ? upstream_rejected : upstream_failed;
}

bool is_from_proxy(const ErrorFacts& facts) {
    // A page at a path that should answer JSON: the address is wrong, or something stands in
    // between.
    return facts.type == "html" && facts.status < 500 && facts.status != 429 &&
           facts.status != 408 && facts.status != 401;
}

ErrorKind kind_of(const ErrorFacts& facts) {
    if (is_from_proxy(facts)) return upstream_malformed;
    const std::string message = ascii::lowered(facts.message);
    // OpenAI says 429 to a request that no waiting makes fit.
    if (message.find("request too large") != std::string::npos) return request_too_large;
    // Google: a day's quota and a minute's rate share one status.
    if (facts.code.find("PerDay") != std::string::npos) return upstream_quota;
    const auto named = kind_named(names, facts);
    if (facts.status == 402 && facts.code != "openrouter_in_flight_budget") return upstream_quota;
    if (named) return *named;
    if (facts.status < 500)
        if (const auto said = kind_said(message)) return *said;
    if (const auto by_status = kind_of_status(facts.status)) return *by_status;
    if (ascii::lowered(facts.code).find("unavailable") != std::string::npos ||
        message.find("overloaded") != std::string::npos)
        return upstream_overloaded;
    return kind_named(broad_names, facts).value_or(upstream_failed);
}

// What is said of a failure, and the status it stands for when it came inside a 200.
struct Wording {
    int status;
    std::string_view reason;
};

Wording wording_of(ErrorKind kind) {
    switch (kind) {
        case upstream_auth: return {401, "invalid credentials"};
        case upstream_permission: return {403, "permission denied"};
        case upstream_quota: return {429, "quota exhausted"};
        case upstream_rate_limited: return {429, "rate limited"};
        case upstream_overloaded: return {503, "overloaded"};
        case upstream_timeout: return {504, "timed out"};
        case upstream_malformed: return {502, "malformed answer"};
        case model_not_found: return {404, "model not found"};
        default: return {500, "server error"};
    }
}

bool blames_the_request(ErrorKind kind) {
    return kind == upstream_rejected || kind == context_length_exceeded ||
           kind == content_policy_violation || kind == request_too_large ||
           kind == unsupported_parameter || kind == tool_unsupported_for_model;
}

std::string message_for(std::string_view display_name, ErrorKind kind, const ErrorFacts& facts) {
    if (blames_the_request(kind)) {
        const std::string reason = sanitised(facts.message);
        if (reason.empty()) return fmt::format("{} rejected the request", display_name);
        return fmt::format("{} rejected the request: {}", display_name, reason);
    }
    const Wording wording = wording_of(kind);
    // Anthropic's own status for its own word.
    const int implied = facts.type == "overloaded_error" ? 529 : wording.status;
    return fmt::format("{} returned {} {}", display_name,
                       facts.status == 0 ? implied : facts.status, wording.reason);
}

// A path into the request, as OpenAI writes them; a provider's text of any other form is not shown.
bool is_path(std::string_view param) {
    return param.size() <= 100 && std::ranges::all_of(param, [](char c) {
               return ascii::is_alphanumeric(c) || std::string_view("_-.[]").contains(c);
           });
}

// As errors' types are; anything else is not one.
bool is_word(std::string_view type) {
    return !type.empty() && type.size() <= 64 &&
           std::ranges::all_of(type, [](char c) { return ascii::is_alphanumeric(c) || c == '_'; });
}

}  // namespace

Error to_error(std::string_view display_name, const ErrorFacts& facts) {
    const ErrorKind kind = kind_of(facts);
    // Plain-text bodies may hold any bytes, and cutting and masking may leave half a character.
    Error error{kind, with_valid_utf8(message_for(display_name, kind, facts))};
    error.detail = fmt::format("status={} type={} code={} message={}", facts.status, facts.type,
                               facts.code, without_credentials(facts.message));
    if (blames_the_request(kind) && is_path(facts.param)) error.param = facts.param;
    error.retry_after = facts.retry_after;
    return error;
}

Error to_error(std::string_view display_name, const ErrorFacts& facts, std::string_view api) {
    Error error = to_error(display_name, facts);
    const bool is_of_account = error.kind == upstream_auth || error.kind == upstream_permission ||
                               error.kind == upstream_quota || error.kind == upstream_malformed;
    if (is_of_account || facts.message.empty() || !is_word(facts.type)) return error;
    error.native = std::make_shared<const NativeError>(
        NativeError{std::string(api), facts.status, facts.type,
                    with_valid_utf8(without_credentials(facts.message))});
    return error;
}

}  // namespace runnel::provider
