#include "telemetry/request_sums.hpp"

#include "telemetry/request_metrics.hpp"

#include <gmock/gmock.h>

namespace runnel::telemetry {
namespace {

using testing::HasSubstr;

RequestRecord answered() {
    RequestRecord record;
    record.status = 200;
    record.stream = true;
    record.provider = "openai";
    record.dialect = "openai";
    record.usage =
        timeline::Usage{.fresh_input = 10, .cache_read = 4, .output = 20, .reasoning = 5};
    record.cost = Money::from_usd(0.25);
    record.first_event = 30ms;
    record.total = 2s;
    record.attempts = {{.target = "openai/gpt"}};
    return record;
}

std::string page_of(const RequestSums& sums) {
    MetricPage page;
    write_requests(sums, &page);
    return page.text();
}

TEST(RequestSums, ARequestCountsOnce) {
    RequestSums sums;
    sums.add(answered());
    sums.add_chat(answered(), "fast");
    const std::string page = page_of(sums);
    EXPECT_THAT(page, HasSubstr("runnel_requests_total{model=\"fast\",provider=\"openai\","
                                "dialect=\"openai\",stream=\"true\",outcome=\"ok\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("runnel_http_requests_total{status=\"200\"} 1\n"));
    EXPECT_THAT(page,
                HasSubstr("runnel_cost_usd_total{model=\"fast\",provider=\"openai\"} 0.25\n"));
    EXPECT_THAT(page, HasSubstr("runnel_attempts_total{provider=\"openai\",outcome=\"ok\"} 1\n"));
    EXPECT_THAT(
        page,
        HasSubstr("runnel_first_token_seconds_sum{model=\"fast\",provider=\"openai\"} 0.03\n"));
    EXPECT_THAT(page, HasSubstr("runnel_errors_total{code=\"upstream_timeout\"} 0\n"));
}

TEST(RequestSums, KindsOfTokensDoNotOverlap) {
    RequestSums sums;
    sums.add_chat(answered(), "fast");
    const ModelSums& model = sums.models.at({"fast", "openai"});
    EXPECT_THAT(model.tokens, testing::ElementsAre(10, 4, 0, 15, 5));
}

TEST(RequestSums, AnAnswerFromTheCacheUsesNothing) {
    RequestRecord record = answered();
    record.cache = "HIT";
    record.cost = Money{};
    RequestSums sums;
    sums.add_chat(record, "fast");
    EXPECT_THAT(sums.models.at({"fast", "openai"}).tokens, testing::Each(0));
    EXPECT_EQ(sums.cache.at({"hit"}), 1);
}

TEST(RequestSums, AFailoverIsOfTheProviderThatFailed) {
    RequestRecord record = answered();
    record.attempts = {{.target = "a/m", .error = "upstream_overloaded"},
                       {.target = "a/m", .error = "upstream_timeout"},
                       {.target = "b/m"},
                       {.target = "b/m"}};  // the next round of a model with tools
    RequestSums sums;
    sums.add_chat(record, "fast");
    EXPECT_EQ(sums.retries.at({"a"}), 1);
    EXPECT_EQ(sums.failovers.at({"a"}), 1);
    EXPECT_EQ(sums.failovers.at({"b"}), 0);
    EXPECT_EQ(sums.attempts.at({"a", "upstream_timeout"}), 1);
    EXPECT_EQ(sums.attempts.at({"b", "ok"}), 2);
}

TEST(RequestSums, AHedgeIsNoFailover) {
    RequestRecord record = answered();
    record.attempts = {{.target = "a/m", .error = "outpaced"}, {.target = "b/m", .hedge = true}};
    RequestSums sums;
    sums.add_chat(record, "fast");
    EXPECT_EQ(sums.hedges.at({"b"}), 1);
    EXPECT_EQ(sums.failovers.at({"a"}), 0);
}

TEST(RequestSums, ToolsAndGuardrailsCountEachTime) {
    RequestRecord record = answered();
    record.tools = {{.name = "now"}, {.name = "now"}, {.name = "now", .error = "failed"}};
    record.guardrails = {"cards: redact"};
    RequestSums sums;
    sums.add_chat(record, "fast");
    EXPECT_EQ(sums.tools.at({"now", "ok"}), 2);
    EXPECT_EQ(sums.tools.at({"now", "error"}), 1);
    EXPECT_EQ(sums.guardrails.at({"cards", "redact"}), 1);
}

TEST(RequestSums, AFailureHasItsCode) {
    RequestRecord record;
    record.status = 404;
    record.error_kind = "model_not_found";
    RequestSums sums;
    sums.add(record);
    sums.add_chat(record, other_label);
    EXPECT_EQ(sums.errors.at({"model_not_found"}), 1);
    EXPECT_EQ(sums.requests.at({"other", "none", "none", "false", "error"}), 1);
}

TEST(RequestSums, ThreadsAddUp) {
    RequestTally one;
    RequestTally two;
    one.add_chat(answered(), "fast");
    two.add_chat(answered(), "fast");
    RequestSums sums = one.read();
    sums += two.read();
    EXPECT_EQ(sums.requests.at({"fast", "openai", "openai", "true", "ok"}), 2);
    EXPECT_EQ(sums.models.at({"fast", "openai"}).cost, Money::from_usd(0.5));
}

}  // namespace
}  // namespace runnel::telemetry
