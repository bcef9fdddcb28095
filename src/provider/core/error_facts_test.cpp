#include "provider/core/error_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;
using enum ErrorKind;

Error error_of(int status, std::string_view body, std::vector<Header> headers = {}) {
    return to_error("Acme", read_error_facts(ErrorReply{status, std::move(headers), body}));
}

Error error_in_stream(std::string_view raw_json) {
    return to_error("Acme", read_error_facts(raw_json));
}

// The shapes of errors.

TEST(ErrorFacts, ReadsOpenAisEnvelope) {
    const auto facts = read_error_facts(ErrorReply{
        400,
        {},
        R"({"error":{"message":"m","type":"invalid_request_error","param":"x","code":"c"}})"});
    EXPECT_EQ(facts.status, 400);
    EXPECT_EQ(facts.type, "invalid_request_error");
    EXPECT_EQ(facts.code, "c");
    EXPECT_EQ(facts.param, "x");
    EXPECT_EQ(facts.message, "m");
}

TEST(ErrorFacts, ReadsTheMessageInEveryShape) {
    for (const std::string_view body : {
             R"({"error":{"message":"m"}})",
             R"({"error":"m"})",
             R"({"error":{"message":"m"},"code":5})",
             R"({"type":"error","error":{"type":"t","message":"m"},"request_id":"r"})",
             R"([{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}])",
             R"({"message":"m"})",
             R"({"Message":"m"})",
             R"({"detail":"m"})",
             R"({"object":"error","message":{"detail":[{"msg":"m"}]},"type":"t","code":null})",
             R"({"error":{"code":400,"metadata":{"raw":"{\"error\":{\"message\":\"m\"}}"}}})",
             R"({"error":{"code":400,"metadata":{"raw":"m"}}})",
             R"({"object":"error","message":"m","type":"t","code":"1"})",
             R"({"code":"c","error":"m"})",
             R"({"base_resp":{"status_code":1002,"status_msg":"m"}})",
             R"({"choices":[{"index":0,"error":null},{"index":1,"error":{"message":"m"}}]})",
             R"({"choices":[],"x_groq":{"id":"r","error":"m"}})",
             R"({"success":false,"errors":[{"code":5021,"message":"m"}],"messages":[]})",
             R"("m")",
             "m",
             "\n m",
         })
        EXPECT_EQ(read_error_facts(ErrorReply{400, {}, body}).message, "m") << body;
}

TEST(ErrorFacts, ReadsFastApisListOfProblems) {
    const std::string_view body =
        R"({"detail":[{"loc":["body","seed"],"msg":"extra","type":"x"},{"loc":["body",0],"msg":"bad"}]})";
    EXPECT_EQ(read_error_facts(ErrorReply{422, {}, body}).message, "body.seed: extra; body.0: bad");
}

TEST(ErrorFacts, FindsTheStatusInTheBodyOfA200) {
    EXPECT_EQ(read_error_facts(R"({"error":{"code":502,"message":"m"}})").status, 502);
    EXPECT_EQ(read_error_facts(R"({"error":{"code":"401","message":"m"}})").status, 401);
    EXPECT_EQ(read_error_facts(R"({"error":{"status_code":400,"code":"tool_use_failed"}})").status,
              400);
    EXPECT_EQ(read_error_facts(ErrorReply{200, {}, R"({"raw_status_code":503})"}).status, 503);
    EXPECT_EQ(read_error_facts(R"({"error":{"code":3051}})").status, 0);
}

TEST(ErrorFacts, SurvivesWhatIsNoError) {
    for (const std::string_view body :
         {"", "null", "[]", "{}", "{", "\xff\xfe", "[1,2]", "{\"error\":null}"})
        EXPECT_EQ(error_of(500, body).kind, upstream_failed) << body;
}

TEST(ErrorFacts, ReadsGooglesDelay) {
    const std::string_view body =
        R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[{"retryDelay":"48s"}]}})";
    EXPECT_EQ(error_of(429, body).retry_after, 48s);
    EXPECT_EQ(error_of(429, body, {{"retry-after", "2"}}).retry_after, 2s);
}

TEST(ErrorFacts, TellsWhatTheHostBehindOpenRouterSaid) {
    const Error error = error_of(
        400,
        R"({"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Bad schema\",\"param\":\"tools[0]\",\"code\":\"context_length_exceeded\"}}","provider_name":"X"}}})");
    EXPECT_EQ(error.message, "Acme rejected the request: Provider returned error; Bad schema");
    EXPECT_EQ(error.kind, context_length_exceeded);
    EXPECT_EQ(error.param, "tools[0]");
    EXPECT_EQ(
        error_of(502, R"({"error":{"message":"e","code":502,"metadata":{"raw":"<html></html>"}}})")
            .kind,
        upstream_failed);
}

TEST(ErrorFacts, NamesTheFieldOfTheRequestThatIsAtFault) {
    const auto param = [](int status, std::string_view param) {
        return error_of(status, fmt::format(R"({{"error":{{"message":"m","param":"{}"}}}})", param))
            .param;
    };
    EXPECT_EQ(param(400, "messages[1].content"), "messages[1].content");
    EXPECT_EQ(param(400, "see https://internal"), "");
    EXPECT_EQ(param(400, std::string(101, 'x')), "");
    EXPECT_EQ(param(401, "api_key"), "") << "not the client's to mend";
}

// What they mean.

struct Meaning {
    int status;
    std::string_view body;
    ErrorKind kind;
};

void PrintTo(const Meaning& meaning, std::ostream* out) {
    *out << meaning.status << ' ' << meaning.body;
}

class ErrorMeaning : public ::testing::TestWithParam<Meaning> {};

TEST_P(ErrorMeaning, IsTold) {
    const Meaning& expected = GetParam();
    const Error error = error_of(expected.status, expected.body);
    EXPECT_EQ(name_of(error.kind), name_of(expected.kind))
        << error.message << " | " << error.detail;
}

INSTANTIATE_TEST_SUITE_P(
    OpenAi, ErrorMeaning,
    ::testing::Values(
        Meaning{
            401,
            R"({"error":{"type":"invalid_request_error","code":"invalid_api_key","message":"Incorrect API key provided"}})",
            upstream_auth},
        Meaning{
            403,
            R"({"error":{"code":null,"message":"You are not allowed to sample from this model","type":"invalid_request_error"}})",
            upstream_permission},
        Meaning{
            404,
            R"({"error":{"type":"invalid_request_error","code":"model_not_found","message":"m"}})",
            model_not_found},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","code":"model_not_found","message":"m"}})",
            model_not_found},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"m"}})",
            context_length_exceeded},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","code":"unsupported_value","message":"m"}})",
            upstream_rejected},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","code":"unsupported_parameter","message":"m"}})",
            upstream_rejected},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","code":"invalid_prompt","message":"m"}})",
            content_policy_violation},
        Meaning{429, R"({"error":{"type":"tokens","code":"rate_limit_exceeded","message":"m"}})",
                upstream_rate_limited},
        Meaning{
            429,
            R"({"error":{"type":"tokens","code":"rate_limit_exceeded","message":"Request too large for gpt-4o on TPM"}})",
            request_too_large},
        Meaning{
            429,
            R"({"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"m"}})",
            upstream_quota},
        Meaning{429, R"({"error":{"code":"project_spend_limit_exceeded","message":"m"}})",
                upstream_quota},
        Meaning{500, R"({"error":{"type":"server_error","message":"m"}})", upstream_failed},
        Meaning{503, R"({"error":{"code":"slow_down","message":"m"}})", upstream_overloaded}));

INSTANTIATE_TEST_SUITE_P(
    Azure, ErrorMeaning,
    ::testing::Values(
        Meaning{
            400,
            R"({"error":{"code":"content_filter","message":"m","innererror":{"code":"ResponsibleAIPolicyViolation"}}})",
            content_policy_violation},
        Meaning{
            200,
            R"({"error":{"message":"m","type":null,"param":"prompt","code":"content_filter","status":400}})",
            content_policy_violation},
        Meaning{401, R"({"error":{"code":"401","message":"m"}})", upstream_auth},
        Meaning{404, R"({"error":{"code":"DeploymentNotFound","message":"m"}})", model_not_found},
        Meaning{429, R"({"error":{"code":"RateLimitReached","message":"m"}})",
                upstream_rate_limited},
        Meaning{429, R"({"error":{"code":"429","message":"m"}})", upstream_rate_limited},
        Meaning{408, "{}", upstream_timeout}));

INSTANTIATE_TEST_SUITE_P(
    Anthropic, ErrorMeaning,
    ::testing::Values(
        Meaning{
            400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 9 + 2 > 10"}})",
            context_length_exceeded},
        Meaning{
            400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}})",
            content_policy_violation},
        Meaning{
            400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}})",
            context_length_exceeded},
        Meaning{
            400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}})",
            upstream_quota},
        Meaning{
            400,
            R"({"type":"error","error":{"type":"invalid_request_error","message":"messages.0: x"}})",
            upstream_rejected},
        Meaning{401, R"({"type":"error","error":{"type":"authentication_error","message":"m"}})",
                upstream_auth},
        Meaning{402, R"({"type":"error","error":{"type":"billing_error","message":"m"}})",
                upstream_quota},
        Meaning{403, R"({"type":"error","error":{"type":"permission_error","message":"m"}})",
                upstream_permission},
        Meaning{404, R"({"type":"error","error":{"type":"not_found_error","message":"m"}})",
                model_not_found},
        Meaning{409, R"({"type":"error","error":{"type":"conflict","message":"m"}})",
                upstream_failed},
        Meaning{413, R"({"type":"error","error":{"type":"request_too_large","message":"m"}})",
                request_too_large},
        Meaning{429, R"({"type":"error","error":{"type":"rate_limit_error","message":"m"}})",
                upstream_rate_limited},
        Meaning{
            429,
            R"({"error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}})",
            upstream_quota},
        Meaning{500, R"({"type":"error","error":{"type":"api_error","message":"m"}})",
                upstream_failed},
        Meaning{504, R"({"type":"error","error":{"type":"timeout_error","message":"m"}})",
                upstream_timeout},
        Meaning{529, R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})",
                upstream_overloaded}));

INSTANTIATE_TEST_SUITE_P(
    Gemini, ErrorMeaning,
    ::testing::Values(
        Meaning{
            400,
            R"({"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}})",
            upstream_auth},
        Meaning{400, R"({"error":{"code":400,"message":"billing","status":"FAILED_PRECONDITION"}})",
                upstream_permission},
        Meaning{
            400,
            R"({"error":{"code":400,"message":"The input token count (9) exceeds","status":"INVALID_ARGUMENT"}})",
            context_length_exceeded},
        Meaning{400, R"([{"error":{"code":400,"message":"bad role","status":"INVALID_ARGUMENT"}}])",
                upstream_rejected},
        Meaning{403, R"({"error":{"code":403,"message":"m","status":"PERMISSION_DENIED"}})",
                upstream_permission},
        Meaning{404, R"({"error":{"code":404,"message":"m","status":"NOT_FOUND"}})",
                model_not_found},
        Meaning{
            429,
            R"({"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}})",
            upstream_rate_limited},
        Meaning{
            429,
            R"({"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]}]}})",
            upstream_quota},
        Meaning{402, R"({"error":{"code":402,"message":"m","status":"RESOURCE_EXHAUSTED"}})",
                upstream_quota},
        Meaning{503, R"({"error":{"code":503,"message":"m","status":"UNAVAILABLE"}})",
                upstream_overloaded},
        Meaning{504, R"({"error":{"code":504,"message":"m","status":"DEADLINE_EXCEEDED"}})",
                upstream_timeout}));

INSTANTIATE_TEST_SUITE_P(
    OthersOfTheFamily, ErrorMeaning,
    ::testing::Values(
        Meaning{400, R"({"error":{"message":"m","code":"model_not_available"}})", model_not_found},
        Meaning{400, R"({"error":{"message":"m","code":"model_decommissioned"}})", model_not_found},
        Meaning{
            200,
            R"({"error":{"code":"server_error","message":"m","metadata":{"error_type":"rate_limit_exceeded"}}})",
            upstream_rate_limited},
        Meaning{
            200,
            R"({"choices":[{"index":0,"finish_reason":"error","error":{"code":429,"message":"m"},"message":{"content":""}}]})",
            upstream_rate_limited},
        Meaning{412, R"({"error":{"code":"ACCOUNT_SUSPENDED","message":"m"}})", upstream_quota},
        Meaning{403, R"({"code":"c","error":"Your team doesn't have any credits yet."})",
                upstream_quota},
        Meaning{400, R"({"error":"Requested input length 9 exceeds maximum input length 8"})",
                context_length_exceeded},
        Meaning{
            400,
            R"({"object":"error","message":"The input (9 tokens) is longer than the model's context length (8 tokens).","code":400})",
            context_length_exceeded},
        Meaning{400, R"({"error":"loaded with context length of only 4096 tokens"})",
                context_length_exceeded},
        Meaning{
            200,
            R"({"error":{"message":"The number of tokens to keep is greater than the context length."}})",
            context_length_exceeded},
        Meaning{400, R"({"error":{"code":"1261","message":"Prompt exceeds max length"}})",
                context_length_exceeded},
        Meaning{
            400,
            R"({"error":{"code":"invalid_parameter_error","message":"<400> Range of input length should be [1, 8]"}})",
            context_length_exceeded},
        Meaning{
            400,
            R"({"error":{"message":"The decoder prompt (length 9) is longer than the maximum model length of 8.","type":"BadRequestError","code":400}})",
            context_length_exceeded},
        Meaning{400, R"({"error":{"message":"m","code":"model_max_prompt_tokens_exceeded"}})",
                context_length_exceeded},
        Meaning{400, R"({"error":{"code":"data_inspection_failed","message":"m"}})",
                content_policy_violation},
        Meaning{
            400,
            R"({"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input."}})",
            content_policy_violation},
        Meaning{400, R"({"error":{"code":"Arrearage","message":"m","type":"Arrearage"}})",
                upstream_quota},
        Meaning{403, R"({"error":{"code":"AllocationQuota.FreeTierOnly","message":"m"}})",
                upstream_quota},
        Meaning{
            413,
            R"({"errors":[{"message":"AiError: 9 tokens exceeded this model context window limit","code":5021}]})",
            context_length_exceeded},
        Meaning{
            429,
            R"({"errors":[{"message":"AiError: you have used up your daily free allocation","code":4006}]})",
            upstream_quota},
        Meaning{
            422,
            R"({"error":{"message":"`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9"}})",
            context_length_exceeded},
        Meaning{400, R"({"error":"llama2:latest does not support tools"})",
                tool_unsupported_for_model},
        Meaning{404,
                R"({"error":{"message":"No endpoints found that support tool use.","code":404}})",
                tool_unsupported_for_model},
        Meaning{400, R"({"code":"invalid-argument","error":"Incorrect API key provided."})",
                upstream_auth},
        Meaning{
            400,
            R"({"code":"Client specified an invalid argument","error":"Model x does not support y."})",
            upstream_rejected},
        Meaning{
            401,
            R"({"error":{"message":"Authentication Fails","type":"authentication_error","code":"invalid_request_error"}})",
            upstream_auth},
        Meaning{
            400,
            R"({"error":{"message":"This model's maximum context length is 8 tokens.","type":"invalid_request_error","code":"invalid_request_error"}})",
            context_length_exceeded},
        Meaning{402, R"({"error":{"message":"Insufficient Balance"}})", upstream_quota},
        Meaning{401, R"({"detail":"Invalid API Key"})", upstream_auth},
        Meaning{422, R"({"detail":[{"loc":["body"],"msg":"m"}]})", upstream_rejected},
        Meaning{
            400,
            R"({"object":"error","type":"invalid_model","code":"1500","message":"Invalid model: x"})",
            model_not_found},
        Meaning{429, R"({"error":{"type":"exceeded_current_quota_error","message":"m"}})",
                upstream_quota},
        Meaning{429, R"({"error":{"type":"engine_overloaded_error","message":"m"}})",
                upstream_overloaded},
        Meaning{429, R"({"error":{"type":"rate_limit_reached_error","message":"m"}})",
                upstream_rate_limited},
        Meaning{
            400,
            R"({"error":{"type":"invalid_request_error","message":"Your request exceeded model token limit: 8"}})",
            context_length_exceeded},
        Meaning{400, R"({"error":{"type":"content_filter","message":"m"}})",
                content_policy_violation},
        Meaning{
            400,
            R"({"error":{"code":"tool_use_failed","type":"invalid_request_error","message":"m"}})",
            upstream_malformed},
        Meaning{498, R"({"error":{"code":"capacity_exceeded","message":"m"}})",
                upstream_overloaded},
        Meaning{424, "{}", upstream_failed},
        Meaning{
            403,
            R"({"error":{"message":"input token count + max_tokens is over 8","type":"invalid_request_error"}})",
            context_length_exceeded},
        Meaning{400, R"({"error":{"code":400,"message":"x/y is not a valid model ID"}})",
                model_not_found},
        Meaning{402, R"({"error":{"code":402,"message":"m"}})", upstream_quota},
        Meaning{
            402,
            R"({"error":{"code":402,"message":"m","metadata":{"limit_source":"openrouter_in_flight_budget"}}})",
            upstream_rate_limited},
        Meaning{
            403,
            R"({"error":{"code":403,"message":"m","metadata":{"reasons":["x"],"flagged_input":"y"}}})",
            content_policy_violation},
        Meaning{502, R"({"error":{"code":502,"message":"m"}})", upstream_failed},
        Meaning{400,
                R"({"error":{"message":"too long","type":"too_many_prompt_tokens","code":400}})",
                context_length_exceeded},
        Meaning{400, R"({"error":{"code":400,"type":"exceed_context_size_error","message":"m"}})",
                context_length_exceeded},
        Meaning{503,
                R"({"error":{"code":503,"type":"unavailable_error","message":"Loading model"}})",
                upstream_overloaded},
        Meaning{404, R"({"error":"model 'x' not found"})", model_not_found}));

INSTANTIATE_TEST_SUITE_P(
    MiniMaxInA200, ErrorMeaning,
    ::testing::Values(
        Meaning{200, R"({"base_resp":{"status_code":1002,"status_msg":"m"}})",
                upstream_rate_limited},
        Meaning{200, R"({"base_resp":{"status_code":1004,"status_msg":"m"}})", upstream_auth},
        Meaning{200, R"({"base_resp":{"status_code":1008,"status_msg":"m"}})", upstream_quota},
        Meaning{200, R"({"base_resp":{"status_code":1026,"status_msg":"m"}})",
                content_policy_violation},
        Meaning{200, R"({"base_resp":{"status_code":1039,"status_msg":"m"}})",
                context_length_exceeded},
        Meaning{200, R"({"base_resp":{"status_code":2013,"status_msg":"m"}})", upstream_rejected},
        Meaning{200, R"({"base_resp":{"status_code":1013,"status_msg":"m"}})", upstream_failed}));

INSTANTIATE_TEST_SUITE_P(ProxiesInBetween, ErrorMeaning,
                         ::testing::Values(Meaning{200, "<html>", upstream_malformed},
                                           Meaning{302, "", upstream_malformed},
                                           Meaning{404, "<!DOCTYPE html>", upstream_malformed},
                                           Meaning{502, "<html>Bad Gateway</html>",
                                                   upstream_failed},
                                           Meaning{429, "<html>", upstream_rate_limited},
                                           Meaning{503, "", upstream_overloaded}));

// What is said of them.

TEST(ToError, SaysWhoReturnedWhat) {
    EXPECT_EQ(to_error("Anthropic",
                       read_error_facts(R"({"type":"overloaded_error","message":"Overloaded"})"))
                  .message,
              "Anthropic returned 529 overloaded");
    EXPECT_EQ(error_in_stream(R"({"type":"rate_limit_error","message":"m"})").message,
              "Acme returned 429 rate limited");
    EXPECT_EQ(error_in_stream(R"({"type":"api_error","message":"m"})").message,
              "Acme returned 500 server error");
    EXPECT_EQ(error_of(401, "{}").message, "Acme returned 401 invalid credentials");
}

TEST(ToError, SaysWhyARequestWasRejected) {
    EXPECT_EQ(error_of(400, R"({"error":{"message":"temperature must be below 2"}})").message,
              "Acme rejected the request: temperature must be below 2");
    EXPECT_EQ(error_of(400, "").message, "Acme rejected the request");
}

TEST(ToError, ShowsNeitherKeysNorHosts) {
    const std::string_view body =
        R"({"error":{"message":"key sk-live-XYZ refused by gpu-7.internal, see https://acme.com/help"}})";
    for (const int status : {400, 401, 422, 500}) {
        const Error error = error_of(status, body);
        EXPECT_EQ(error.message.find("sk-live"), std::string::npos) << error.message;
        EXPECT_EQ(error.message.find("internal"), std::string::npos) << error.message;
        EXPECT_EQ(error.message.find("acme.com"), std::string::npos) << error.message;
        EXPECT_EQ(error.detail.find("sk-live"), std::string::npos) << error.detail;
        EXPECT_NE(error.detail.find("gpu-7.internal"), std::string::npos) << error.detail;
    }
}

TEST(ToError, TakesAServiceThatIsUnavailableInA200AsOverloaded) {
    const Error error =
        error_of(200, R"({"code":"The service is currently unavailable","error":"try later"})");
    EXPECT_EQ(error.kind, upstream_overloaded);
    EXPECT_EQ(error.message, "Acme returned 503 overloaded");
}

}  // namespace
}  // namespace runnel::provider
