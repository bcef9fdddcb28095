#include "server/models.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

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
    EXPECT_EQ(list_models(example(), 7).value(),
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
    EXPECT_EQ(describe_model(example(), "p/other", 7).value(),
              R"({"id":"p/other","object":"model","created":7,"owned_by":"p","capabilities":{}})");
    EXPECT_EQ(describe_model(example(), "nobody/x", 7).error().kind, ErrorKind::model_not_found);
}

}  // namespace
}  // namespace runnel::server
