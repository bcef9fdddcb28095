#include "router/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::router {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ModelFacts no_tools{.tools = false};
constexpr ModelFacts blind{.tools = true, .vision = false};
constexpr ModelFacts all_of_it{
    .tools = true, .vision = true, .streaming = true, .context_length = 1000, .max_output = 100};
constexpr ModelFacts whole_only{.streaming = false, .context_length = 500};

Router example() {
    ProviderEntry a{"a", {}, {"plain", "no-tools", "blind"}};
    a.facts = [](std::string_view model) {
        return model == "no-tools"     ? no_tools
               : model == "blind"      ? blind
               : model == "whole-only" ? whole_only
                                       : ModelFacts{};
    };
    ProviderEntry b{"b", {"b-"}, {"able"}};
    b.facts = [](std::string_view) { return all_of_it; };

    ModelEntry mixed{"mixed", {{"a/no-tools"}, {"a/blind", 3}, {"b/able"}}};
    mixed.policy.strategy = Strategy::weighted;
    mixed.policy.retries = 4;
    mixed.policy.timeouts.idle = 3s;
    mixed.max_tokens = 64;
    mixed.concurrent = 7;
    ModelEntry conductor{"conductor", {{"a/plain"}}};
    conductor.streams = ModelEntry::Streams::no;
    conductor.stream_fallback = "op";
    conductor.guardrails = {"pii"};
    ModelEntry worker{"worker", {{"a/no-tools"}, {"b/able"}}};
    worker.tools = {"clock"};
    worker.max_tool_rounds = 3;
    ModelEntry silent{"silent", {{"b/able"}}};
    silent.streams = ModelEntry::Streams::no;
    return Router({a, b},
                  {mixed, {"operator", {{"b/able"}}, "Be brief."}, conductor, silent, worker},
                  {{"op", "operator"}, {"boss", "conductor"}}, "");
}

chat::Operation request_for(std::string model) { return {.model = std::move(model)}; }

chat::Operation stream_of(std::string model) {
    return {.model = std::move(model), .streaming = chat::Streaming::yes};
}

chat::Operation tools_for(std::string model) {
    return {.model = std::move(model), .needs = {.tools = true}};
}

chat::Operation image_for(std::string model) {
    return {.model = std::move(model), .needs = {.vision = true}};
}

std::vector<std::string> targets_of(const Result<Route>& route) {
    std::vector<std::string> names;
    if (!route) return {"error: " + route.error().message};
    for (const Target& target : route->targets) names.push_back(target.public_name);
    return names;
}

Error error_of(const Result<Route>& route) {
    EXPECT_FALSE(route);
    return route ? Error{} : route.error();
}

TEST(RequestRoute, CarriesWhatTheModelSays) {
    const Router router = example();
    const auto route = router.resolve(request_for("mixed"));
    ASSERT_TRUE(route);
    EXPECT_EQ(route->policy.strategy, Strategy::weighted);
    EXPECT_EQ(route->policy.retries, 4);
    EXPECT_EQ(route->policy.timeouts.idle, 3s);
    EXPECT_EQ(route->max_tokens, 64);
    EXPECT_EQ(route->concurrent, 7u);
    ASSERT_EQ(route->targets.size(), 3u);
    EXPECT_EQ(route->targets[0].weight, 1u);
    EXPECT_EQ(route->targets[1].weight, 3u);
    EXPECT_EQ(route->targets[1].facts.vision, false);
    EXPECT_THAT(route->warnings, IsEmpty());
    EXPECT_EQ(route->rerouted_from, "");
}

TEST(RequestRoute, HasAStandInForAModelThatCannotStream) {
    const Router router = example();
    const auto whole = router.resolve(request_for("conductor"));
    EXPECT_EQ(whole->name, "conductor");
    EXPECT_EQ(whole->rerouted_from, "");
    for (const char* name : {"conductor", "boss"}) {
        const auto streamed = router.resolve(stream_of(name));
        ASSERT_TRUE(streamed);
        EXPECT_EQ(streamed->name, "operator");
        EXPECT_EQ(*streamed->system, "Be brief.");
        EXPECT_EQ(streamed->rerouted_from, "conductor");
    }
}

TEST(RequestRoute, RefusesAStandInWhereTheClientForbidsIt) {
    const Router router = example();
    auto request = stream_of("conductor");
    request.strict_model = true;
    const Error error = error_of(router.resolve(request));
    EXPECT_EQ(error.kind, ErrorKind::unsupported_parameter);
    EXPECT_EQ(error.param, "model");
    EXPECT_THAT(error.message, HasSubstr("'conductor' can't stream"));
    request.streaming = chat::Streaming::no;
    EXPECT_TRUE(router.resolve(request));
}

TEST(RequestRoute, RefusesAStreamThatNobodyCanServe) {
    const Router router = example();
    for (const char* name : {"silent", "a/whole-only"}) {
        const Error error = error_of(router.resolve(stream_of(name)));
        EXPECT_EQ(error.kind, ErrorKind::unsupported_parameter) << name;
        EXPECT_EQ(error.param, "stream") << name;
        EXPECT_TRUE(router.resolve(request_for(name))) << name;
    }
}

TEST(RequestRoute, PassesOverTargetsThatLackWhatTheRequestNeeds) {
    const Router router = example();
    const auto tools = router.resolve(tools_for("mixed"));
    EXPECT_THAT(targets_of(tools), ElementsAre("a/blind", "b/able"));
    EXPECT_THAT(tools->warnings, ElementsAre("fallback_skipped"));
    const auto image = router.resolve(image_for("mixed"));
    EXPECT_THAT(targets_of(image), ElementsAre("a/no-tools", "b/able"));
    EXPECT_THAT(image->warnings, ElementsAre("fallback_skipped"));
}

TEST(RequestRoute, AsksAModelOfWhichNothingIsKnown) {
    const Router router = example();
    EXPECT_TRUE(router.resolve(tools_for("a/plain")));
    EXPECT_TRUE(router.resolve(image_for("a/plain")));
    EXPECT_TRUE(router.resolve(stream_of("a/plain")));
}

TEST(RequestRoute, RefusesWhatNoTargetIsLeftFor) {
    const Router router = example();
    const Error tools = error_of(router.resolve(tools_for("a/no-tools")));
    EXPECT_EQ(tools.kind, ErrorKind::tool_unsupported_for_model);
    EXPECT_EQ(tools.param, "tools");
    EXPECT_THAT(tools.message, HasSubstr("'a/no-tools' can't call tools"));
    const Error image = error_of(router.resolve(image_for("a/blind")));
    EXPECT_EQ(image.kind, ErrorKind::unsupported_parameter);
    EXPECT_EQ(image.param, "messages");
}

TEST(RequestRoute, PassesOverTargetsThatCannotCallTheModelsOwnTools) {
    const Router router = example();
    const auto route = router.resolve(request_for("worker"));
    EXPECT_THAT(targets_of(route), ElementsAre("b/able"));
    EXPECT_THAT(*route->tools, ElementsAre("clock"));
    EXPECT_EQ(route->max_tool_rounds, 3);
    EXPECT_EQ(router.resolve(request_for("operator"))->tools, nullptr);
}

TEST(RequestRoute, AsksTheClientsOwnModelsAfterTheModels) {
    const Router router = example();
    auto request = request_for("operator");
    request.fallback = {"mixed", "op", "b-2", "a/plain"};
    const auto route = router.resolve(request);
    EXPECT_THAT(targets_of(route),
                ElementsAre("b/able", "a/no-tools", "a/blind", "b-2", "a/plain"));
    EXPECT_EQ(route->name, "operator");
    EXPECT_EQ(*route->system, "Be brief.");
    EXPECT_EQ(route->targets.at(0).weight, 1u);
    for (std::size_t i = 1; i < route->targets.size(); ++i)
        EXPECT_EQ(route->targets[i].weight, 0u) << i;
    EXPECT_THAT(route->targets[0].fallback_of, IsEmpty());
    EXPECT_THAT(route->targets[1].fallback_of, ElementsAre("mixed"));
    EXPECT_THAT(route->targets[3].fallback_of, ElementsAre("b-2"));
}

TEST(RequestRoute, PassesOverOnesOwnModelsToo) {
    const Router router = example();
    auto request = tools_for("b/able");
    request.fallback = {"a/no-tools"};
    const auto route = router.resolve(request);
    EXPECT_THAT(targets_of(route), ElementsAre("b/able"));
    EXPECT_THAT(route->warnings, ElementsAre("fallback_skipped"));
}

TEST(RequestRoute, NamesAFallbackThatDoesNotExist) {
    auto request = request_for("operator");
    request.fallback = {"a/plain", "nobody"};
    const Error error = error_of(example().resolve(request));
    EXPECT_EQ(error.kind, ErrorKind::model_not_found);
    EXPECT_EQ(error.param, "fallback");
    EXPECT_THAT(error.message, HasSubstr("'nobody'"));
}

TEST(RequestRoute, StreamsAFallbackByItsStandIn) {
    const Router router = example();
    auto request = stream_of("a/plain");
    request.fallback = {"conductor"};
    const auto route = router.resolve(request);
    EXPECT_THAT(targets_of(route), ElementsAre("a/plain", "b/able"));
    EXPECT_THAT(route->stand_ins, ElementsAre("operator"));
    EXPECT_THAT(route->targets[1].fallback_of, ElementsAre("operator", "conductor"));
    request.fallback = {"silent"};
    EXPECT_EQ(error_of(router.resolve(request)).param, "fallback");
}

TEST(RequestRoute, TakesTheGuardrailsOfEveryModelThatItLeadsTo) {
    EXPECT_THAT(example().resolve(request_for("conductor"))->guardrails, ElementsAre("pii"));
    EXPECT_THAT(example().resolve(stream_of("boss"))->guardrails, ElementsAre("pii"))
        << "a stand-in is no way around them";
    chat::Operation request = request_for("b/able");
    EXPECT_THAT(example().resolve(request)->guardrails, IsEmpty());
    request.fallback = {"conductor"};
    EXPECT_THAT(example().resolve(request)->guardrails, ElementsAre("pii"));
}

TEST(RequestRoute, TellsWhatAModelCanDo) {
    const Router router = example();
    const auto mixed = router.describe("mixed");
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->facts.tools, true);  // one can
    EXPECT_EQ(mixed->facts.vision, true);
    EXPECT_EQ(mixed->facts.reasoning, std::nullopt);
    EXPECT_EQ(mixed->facts.context_length, std::nullopt);  // one is not known
    EXPECT_EQ(mixed->facts.max_output, 64);
    EXPECT_THAT(mixed->targets, ElementsAre("a/no-tools", "a/blind", "b/able"));
    EXPECT_EQ(router.describe("operator")->facts.context_length, 1000);
    EXPECT_EQ(router.describe("silent")->facts.streaming, false);

    const auto alias = router.describe("op");
    EXPECT_EQ(alias->id, "op");
    EXPECT_EQ(alias->owned_by, "runnel");
    EXPECT_EQ(alias->facts.max_output, 100);
    EXPECT_THAT(alias->targets, ElementsAre("b/able"));

    const auto direct = router.describe("@b/able");
    EXPECT_EQ(direct->id, "b/able");
    EXPECT_EQ(direct->owned_by, "b");
    EXPECT_THAT(direct->targets, IsEmpty());
    EXPECT_EQ(router.describe("nobody").error().kind, ErrorKind::model_not_found);
}

}  // namespace
}  // namespace runnel::router
