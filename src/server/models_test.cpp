#include "server/models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

router::Router example() {
    router::ProviderEntry provider{"p", {}, {"known", "new"}};
    provider.facts = [](std::string_view model) {
        if (model != "known") return router::ModelFacts{};
        return router::ModelFacts{.tools = true,
                                  .vision = false,
                                  .streaming = true,
                                  .context_length = 1000,
                                  .max_output = 100};
    };
    return router::Router({provider}, {{"mine", {{"p/known"}, {"p/new"}}}}, {{"m", "mine"}}, "");
}

TEST(Models, AreListedWithWhatIsKnownOfThem) {
    EXPECT_EQ(models_json(example(), {}, 7),
              R"({"object":"list","data":[)"
              R"({"id":"mine","object":"model","created":7,"owned_by":"runnel",)"
              R"("capabilities":{"tools":true,"streaming":true},"targets":["p/known","p/new"]},)"
              R"({"id":"m","object":"model","created":7,"owned_by":"runnel",)"
              R"("capabilities":{"tools":true,"streaming":true},"targets":["p/known","p/new"]},)"
              R"({"id":"p/known","object":"model","created":7,"owned_by":"p",)"
              R"("capabilities":{"tools":true,"vision":false,"streaming":true},)"
              R"("context_length":1000,"max_output_tokens":100},)"
              R"({"id":"p/new","object":"model","created":7,"owned_by":"p","capabilities":{}}]})");
}

TEST(Models, AreFoundByAnyNameThatRoutes) {
    EXPECT_EQ(model_json(example(), {}, "p/other", 7).value(),
              R"({"id":"p/other","object":"model","created":7,"owned_by":"p","capabilities":{}})");
    EXPECT_EQ(model_json(example(), {}, "nobody/x", 7).error().kind, ErrorKind::model_not_found);
}

access::Caller with_key(access::Key::Kind kind, std::vector<std::string> models) {
    access::Key key{.id = "k", .kind = kind};
    key.models = std::move(models);
    return {.kind = access::Caller::Kind::key,
            .key = std::make_shared<const access::Key>(std::move(key))};
}

std::vector<std::string> ids_in(const std::string& body) {
    std::vector<std::string> ids;
    for (std::size_t at = 0; (at = body.find(R"({"id":")", at)) != std::string::npos;) {
        at += 7;
        ids.push_back(body.substr(at, body.find('"', at) - at));
    }
    return ids;
}

TEST(Models, OfAKeyAreThoseItMayUse) {
    const auto seen = [](std::vector<std::string> models) {
        const auto caller = with_key(access::Key::Kind::secret, std::move(models));
        return ids_in(models_json(example(), caller, 7));
    };
    EXPECT_THAT(seen({}), ElementsAre("mine", "m", "p/known", "p/new"));
    EXPECT_THAT(seen({"mine"}), ElementsAre("mine", "m"));
    EXPECT_THAT(seen({"m"}), ElementsAre("m"));
    EXPECT_THAT(seen({"p/*"}), ElementsAre("p/known", "p/new"));
    EXPECT_THAT(seen({"known"}), ElementsAre());

    const auto caller = with_key(access::Key::Kind::secret, {"mine"});
    EXPECT_TRUE(model_json(example(), caller, "m", 7));
    EXPECT_EQ(model_json(example(), caller, "p/known", 7).error().kind,
              ErrorKind::model_not_allowed);
    EXPECT_EQ(model_json(example(), caller, "nobody/x", 7).error().kind,
              ErrorKind::model_not_allowed)
        << "what others have can't be told from what nobody has";
}

TEST(Models, OfABrowserAreKnownByTheirIds) {
    router::ModelEntry open{"open", {{"p/known"}}};
    open.id = "0b54b0a4-7d7b-4a57-8d0c-3f1f8c1c2a11";
    const router::Router router({{"p", {}, {"known"}}}, {open, {"closed", {{"p/known"}}}},
                                {{"alias", "open"}}, "");
    const auto caller = with_key(access::Key::Kind::browser, {"open", "closed"});
    const std::string body = models_json(router, caller, 7);
    EXPECT_THAT(ids_in(body), ElementsAre(open.id));
    EXPECT_THAT(body, Not(HasSubstr("p/known")));
    EXPECT_THAT(*model_json(router, caller, open.id, 7), HasSubstr(open.id));
    EXPECT_EQ(model_json(router, caller, "open", 7).error().kind, ErrorKind::public_key_restricted);
    EXPECT_THAT(ids_in(models_json(router, with_key(access::Key::Kind::browser, {"closed"}), 7)),
                ElementsAre());
}

}  // namespace
}  // namespace runnel::server
