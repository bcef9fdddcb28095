#include "router/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Router example(std::string default_model = "") {
    std::vector<ProviderEntry> providers{
        {"openai", {"gpt-", "o3"}, {"gpt-5", "gpt-5-mini"}},
        {"claude", {"claude-"}, {"claude-sonnet-4-5"}},
        {"openrouter", {"meta-llama/"}},
        {"spare", {"gpt-"}},
        {"demo", {}, {"echo", "text"}},
    };
    providers.back().others = ProviderEntry::Others::refused;
    std::vector<ModelEntry> models{
        {"fast", {{"openai/gpt-5-mini"}, {"claude/claude-haiku-4-5"}}},
        {"operator",
         {{"openrouter/meta/llama-8b"}},
         "Be brief.",
         std::make_shared<const chat::Request>(chat::Request{.max_tokens = 50}),
         "openai"},
        {"claude-opus", {{"openai/gpt-5"}}},
        {"stale", {{"gone/model"}}},
    };
    return Router(std::move(providers), std::move(models), {{"quick", "fast"}, {"mini", "gpt-5"}},
                  std::move(default_model));
}

struct Expected {
    std::size_t provider;
    std::string model;
    std::string public_name;
};

void expect_target(const Target& target, const Expected& expected) {
    EXPECT_EQ(target.provider, expected.provider);
    EXPECT_EQ(target.model, expected.model);
    EXPECT_EQ(target.public_name, expected.public_name);
}

void expect_direct(std::string_view name, const Expected& expected) {
    const Router router = example();
    const auto route = router.resolve(name);
    ASSERT_TRUE(route) << name << ": " << route.error().message;
    EXPECT_EQ(route->name, expected.public_name);
    ASSERT_EQ(route->targets.size(), 1u);
    expect_target(route->targets[0], expected);
    EXPECT_EQ(route->system, nullptr);
    EXPECT_EQ(route->defaults, nullptr);
    EXPECT_EQ(route->dialect, nullptr);
}

Error error_of(const Router& router, std::string_view name) {
    auto route = router.resolve(name);
    EXPECT_FALSE(route) << name;
    return route ? Error{} : std::move(route.error());
}

TEST(Router, TakesAProviderAndAModel) {
    expect_direct("openai/gpt-5", {0, "gpt-5", "openai/gpt-5"});
    expect_direct("@openai/gpt-5", {0, "gpt-5", "openai/gpt-5"});
    expect_direct("claude/not-in-any-list", {1, "not-in-any-list", "claude/not-in-any-list"});
}

TEST(Router, LeavesSlashesInTheModelsNameAlone) {
    expect_direct("openrouter/meta/llama:free",
                  {2, "meta/llama:free", "openrouter/meta/llama:free"});
    expect_direct("@openrouter/meta/llama", {2, "meta/llama", "openrouter/meta/llama"});
}

TEST(Router, GivesABareNameToTheFirstProviderThatClaimsIt) {
    expect_direct("gpt-6", {0, "gpt-6", "gpt-6"});
    expect_direct("claude-opus-4", {1, "claude-opus-4", "claude-opus-4"});
    expect_direct("echo", {4, "echo", "echo"});
    expect_direct("meta-llama/llama-4", {2, "meta-llama/llama-4", "meta-llama/llama-4"});
}

TEST(Router, TriesAVirtualModelsTargetsInTheirOrder) {
    const Router router = example();
    const auto route = router.resolve("fast");
    ASSERT_TRUE(route);
    EXPECT_EQ(route->name, "fast");
    ASSERT_EQ(route->targets.size(), 2u);
    expect_target(route->targets[0], {0, "gpt-5-mini", "openai/gpt-5-mini"});
    expect_target(route->targets[1], {1, "claude-haiku-4-5", "claude/claude-haiku-4-5"});
    EXPECT_EQ(route->system, nullptr);
}

TEST(Router, GivesAVirtualModelsTextDefaultsAndDialect) {
    const Router router = example();
    const auto route = router.resolve("operator");
    ASSERT_TRUE(route);
    expect_target(route->targets.at(0), {2, "meta/llama-8b", "openrouter/meta/llama-8b"});
    ASSERT_NE(route->system, nullptr);
    EXPECT_EQ(*route->system, "Be brief.");
    ASSERT_NE(route->defaults, nullptr);
    EXPECT_EQ(route->defaults->max_tokens, 50);
    ASSERT_NE(route->dialect, nullptr);
    EXPECT_EQ(*route->dialect, "openai");
}

TEST(Router, PrefersAVirtualModelToACatalogue) {
    const auto route = example().resolve("claude-opus");
    ASSERT_TRUE(route);
    EXPECT_EQ(route->targets.at(0).public_name, "openai/gpt-5");
}

TEST(Router, AsksTheEntryOfATargetsNameHoweverItIsWritten) {
    ModelEntry guarded{"openai/gpt-5", {{"openai/gpt-5"}}, "Be brief."};
    const Router router({{"openai", {"gpt-"}, {"gpt-5"}}}, {guarded, {"fast", {{"openai/gpt-5"}}}},
                        {{"quick", "gpt-5"}}, "");
    for (const char* name : {"openai/gpt-5", "@openai/gpt-5", "gpt-5", "quick"}) {
        const auto route = router.resolve(name);
        ASSERT_TRUE(route) << name;
        EXPECT_EQ(route->name, "openai/gpt-5") << name;
        EXPECT_NE(route->system, nullptr) << name;
        EXPECT_EQ(router.own_name_of(name), "openai/gpt-5") << name;
    }
    EXPECT_EQ(router.resolve("fast")->system, nullptr);
    EXPECT_EQ(router.own_name_of("fast"), "fast");
    EXPECT_EQ(router.own_name_of("@openai/gpt-5-mini"), "openai/gpt-5-mini");
    EXPECT_EQ(router.own_name_of("nobody/x"), "");
    EXPECT_EQ(router.own_name_of(router.resolve("fast")->targets.front()), "openai/gpt-5");
}

TEST(Router, KnowsAModelWithoutWhatItsNameDoesNotNeed) {
    const Router router({{.name = "google", .needless_prefix = "models/"}}, {}, {}, "");
    EXPECT_EQ(router.own_name_of("google/models/gemini"), "google/gemini");
    EXPECT_EQ(router.own_name_of("google/models/"), "google/models/");
    EXPECT_EQ(router.own_name_of("google/tunedModels/mine"), "google/tunedModels/mine");
}

TEST(Router, TakesTheDefaultModelWhereNoneIsNamed) {
    EXPECT_EQ(example("fast").resolve("")->name, "fast");
    EXPECT_EQ(example("demo/echo").resolve("")->targets.at(0).model, "echo");

    const Error error = error_of(example(), "");
    EXPECT_EQ(error.kind, ErrorKind::missing_required_field);
    EXPECT_EQ(error.param, "model");
}

TEST(Router, SaysWhichNamesAreNearAnUnknownOne) {
    const Error error = error_of(example(), "openai-gpt5");
    EXPECT_EQ(error.kind, ErrorKind::model_not_found);
    EXPECT_EQ(error.param, "model");
    EXPECT_EQ(
        error.message,
        "the model 'openai-gpt5' does not exist; did you mean 'openai/gpt-5'? (any model of a "
        "provider can be named as provider/model; providers: openai, claude, openrouter, spare, "
        "demo)");
    EXPECT_THAT(error_of(example(), "fats").message, HasSubstr("did you mean 'fast'?"));
    EXPECT_THAT(error_of(example(), "zzzzzzzz").message, Not(HasSubstr("did you mean")));
}

TEST(Router, CorrectsAProvidersName) {
    EXPECT_THAT(error_of(example(), "opnai/some-model").message,
                HasSubstr("did you mean 'openai/some-model'?"));
    EXPECT_THAT(error_of(example(), "@cluade/claude-opus-4").message,
                HasSubstr("did you mean 'claude/claude-opus-4'?"));
}

TEST(Router, RefusesHalfAName) {
    for (const char* name : {"openai/", "/gpt-5", "@", "@/", "@openai", "/", "@gpt-5"})
        EXPECT_EQ(error_of(example(), name).kind, ErrorKind::model_not_found) << name;
}

TEST(Router, QuotesNoEndlessName) {
    EXPECT_LT(error_of(example(), std::string(1'000'000, 'x')).message.size(), 400u);
}

TEST(Router, ReportsAModelWithoutAnyTarget) {
    EXPECT_EQ(error_of(example(), "stale").kind, ErrorKind::model_unavailable);
}

TEST(Router, ListsOnlyWhatItResolves) {
    const Router router = example();
    std::vector<std::string> ids;
    for (const Router::Listed& listed : router.list()) {
        ids.push_back(listed.id + " of " + listed.owned_by);
        EXPECT_TRUE(router.resolve(listed.id)) << listed.id;
    }
    EXPECT_THAT(ids,
                ElementsAre("fast of runnel", "operator of runnel", "claude-opus of runnel",
                            "quick of runnel", "mini of runnel", "openai/gpt-5 of openai",
                            "openai/gpt-5-mini of openai", "claude/claude-sonnet-4-5 of claude",
                            "demo/echo of demo", "demo/text of demo"));
}

TEST(Router, ListsAModelThatIsNamedLikeATargetOnce) {
    const Router router({{"p", {}, {"a"}}}, {{"p/a", {{"p/b"}}}}, {}, "");
    ASSERT_EQ(router.list().size(), 1u);
    EXPECT_EQ(router.list()[0].id, "p/a");
    EXPECT_THAT(router.list()[0].targets, ElementsAre("p/b"));
}

TEST(Router, KnowsAliases) {
    const Router router = example("quick");
    EXPECT_EQ(router.resolve("quick")->name, "fast");
    EXPECT_EQ(router.resolve("quick")->targets.size(), 2u);
    EXPECT_EQ(router.resolve("mini")->targets.at(0).public_name, "gpt-5");
    EXPECT_EQ(router.resolve("")->name, "fast");
    EXPECT_THAT(error_of(router, "quik").message, HasSubstr("did you mean 'quick'?"));
}

TEST(Router, KnowsAModelByItsIdToo) {
    const std::string id = "0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11";
    ModelEntry own{"own", {{"demo/echo"}}};
    own.id = id;
    const Router router({{"demo", {}, {"echo"}}}, {own, {"other", {{"demo/echo"}}}}, {}, "");
    EXPECT_EQ(router.resolve(id)->name, "own");
    EXPECT_TRUE(router.is_model_id(id));
    EXPECT_FALSE(router.is_model_id("own") || router.is_model_id("other") ||
                 router.is_model_id(""));
    EXPECT_EQ(router.describe("own")->model_id, id);
    for (const auto& listed : router.list()) EXPECT_NE(listed.id, id);
    EXPECT_THAT(router.names_of(id), ElementsAre(id, "own", id));
}

TEST(Router, TellsEveryNameOfAModel) {
    const Router router = example("quick");
    EXPECT_THAT(router.names_of("quick"), ElementsAre("quick", "fast"));
    EXPECT_THAT(router.names_of(""), ElementsAre("", "fast"));
    EXPECT_THAT(router.names_of("gpt-5"), ElementsAre("gpt-5", "gpt-5", "openai/gpt-5"));
    EXPECT_THAT(router.names_of("@openai/gpt-5"),
                ElementsAre("@openai/gpt-5", "openai/gpt-5", "openai/gpt-5"));
    EXPECT_THAT(router.names_of("mini"), ElementsAre("mini", "gpt-5", "openai/gpt-5"));
    EXPECT_THAT(router.names_of("nobody/x"), ElementsAre());
}

TEST(Router, RefusesWhatAProviderWithAClosedListDoesNotHave) {
    for (const char* name : {"demo/nope", "@demo/nope", "nope", "demo/"})
        EXPECT_EQ(error_of(example(), name).kind, ErrorKind::model_not_found) << name;
    EXPECT_EQ(error_of(example(), "demo/ecko").message,
              "the model 'demo/ecko' does not exist; did you mean 'demo/echo'? (demo has echo, "
              "text)");
}

TEST(Router, FindsNothingWhereNothingIsConfigured) {
    const Router router({}, {}, {}, "");
    EXPECT_EQ(error_of(router, "gpt-5").message, "the model 'gpt-5' does not exist");
}

}  // namespace
}  // namespace runnel::router
