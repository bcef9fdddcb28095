#include "server/endpoints.hpp"

#include "api/registry.hpp"
#include "metering/endpoint.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace runnel::server {
namespace {

std::string_view path_found(std::string_view path, std::string_view method = "GET") {
    const Endpoint* endpoint = find_endpoint(path, method).endpoint;
    return endpoint != nullptr ? endpoint->path : std::string_view();
}

TEST(Endpoints, AreFoundByTheFirstPathThatFits) {
    EXPECT_EQ(path_found("/v1/models"), "/v1/models");
    EXPECT_EQ(path_found("/v1/models/openai/gpt-5"), "/v1/models/*");
    EXPECT_EQ(path_found("/v1/logs/x/content"), "/v1/logs/*/content");
    EXPECT_EQ(path_found("/v1/logs/x"), "/v1/logs/*");
    EXPECT_EQ(path_found("/admin/v1/logs/export"), "/admin/v1/logs/export");
    EXPECT_EQ(path_found("/v1/models/"), "/v1/models") << "a * is one character or more";
    EXPECT_EQ(path_found("/v1/nothing"), "");
    EXPECT_EQ(path_found("/v1/conversations/c/items/i"), "/v1/conversations/*/items/*");
    EXPECT_EQ(path_found("/v1/conversations/c/items"), "/v1/conversations/*/items");
    EXPECT_EQ(path_found("/v1/conversations/c/items/"), "/v1/conversations/*/items");
    EXPECT_EQ(path_found("/v1/conversations/c"), "/v1/conversations/*");
    EXPECT_EQ(path_found("/v1/conversations//items/i"), "/v1/conversations/*");
}

TEST(Endpoints, UnderV1AreUnderApiToo) {
    EXPECT_EQ(path_found("/api/v1/chat/completions", "POST"), "/v1/chat/completions");
    EXPECT_EQ(path_found("/api/v1/models/x"), "/v1/models/*");
    EXPECT_EQ(path_found("/api/admin/v1/keys"), "");
}

// The same line, and so the same audience.
TEST(Endpoints, AreTheSameUnderEveryName) {
    for (const std::string_view path :
         {"/chat/completions", "/openai/v1/chat/completions", "/v1/chat/completions/",
          "//v1//chat/completions", "/openai/deployments/m/chat/completions"})
        EXPECT_EQ(path_found(path, "POST"), "/v1/chat/completions") << path;
    EXPECT_EQ(path_found("/anthropic/v1/messages", "POST"), "/v1/messages");
    for (const std::string_view path : {"/completions", "/openai/deployments/m/completions"})
        EXPECT_EQ(path_found(path, "POST"), "/v1/completions") << path;
    EXPECT_EQ(find_endpoint("//admin/v1//keys/", "GET").endpoint->audience.kind,
              Audience::Kind::admin);
    for (const std::string_view path :
         {"/v1/../admin/v1/keys", "/openai/deployments/x/admin/v1/keys", "/openai/admin/v1/keys"})
        EXPECT_EQ(path_found(path), "") << path;
}

TEST(Endpoints, TellWhichMethodsAPathTakes) {
    EXPECT_EQ(path_found("/healthz", "HEAD"), "/healthz");
    EXPECT_EQ(find_endpoint("/v1/chat/completions", "GET").methods, "POST");
    EXPECT_EQ(find_endpoint("/admin/v1/keys/k", "POST").methods, "GET, PATCH, DELETE");
    EXPECT_EQ(find_endpoint("/v1/nothing", "GET").methods, "");
}

// An error is written as the API has it that the client speaks, also where there is no endpoint.
TEST(Endpoints, AreNearestToWhatIsUnderThePathOfAnApi) {
    const auto nearest = [](std::string_view path) {
        const Endpoint* endpoint = nearest_endpoint(path);
        return endpoint != nullptr ? endpoint->path : std::string_view();
    };
    EXPECT_EQ(nearest("/v1/chat/completions"), "/v1/chat/completions");
    EXPECT_EQ(nearest("/api/v1/chat/completions/x"), "/v1/chat/completions");
    EXPECT_EQ(nearest("/v1/chat/completionsx"), "");
    EXPECT_EQ(nearest("/v1/chat"), "");
    EXPECT_EQ(nearest("/v1/tools/execute"), "/v1/tools/execute");
    EXPECT_EQ(nearest("/v1/tools/execute/x"), "");
}

TEST(Endpoints, ThatAskAModelHaveAnApi) {
    for (const Endpoint& endpoint : endpoints())
        if (endpoint.kind == Endpoint::Kind::inference) {
            ASSERT_NE(endpoint.api, nullptr) << endpoint.path;
            EXPECT_TRUE(endpoint.takes_body()) << endpoint.path;
            EXPECT_EQ(endpoint.audience.kind, Audience::Kind::keys) << endpoint.path;
        }
    EXPECT_EQ(&nearest_endpoint("/v1/chat/completions")->api(), &api::chat_api());
}

TEST(Endpoints, WhatItsPathLeavesOpenIsUnescaped) {
    http::Transaction transaction{};
    const auto variable = [&](std::string_view path, std::string_view method) {
        transaction.request.target = path;
        const Call call{&transaction, nullptr, nullptr, nullptr,
                        find_endpoint(path, method).endpoint};
        return call.path_variable();
    };
    EXPECT_EQ(variable("/v1/models/openai/gpt-5", "GET"), "openai/gpt-5");
    EXPECT_EQ(variable("/api/v1/models/a%20b", "HEAD"), "a b");
    EXPECT_EQ(variable("/v1/logs/chatcmpl-1/content", "GET"), "chatcmpl-1");
    EXPECT_EQ(variable("/admin/v1/keys/k%2F1/rotate", "POST"), "k/1");
    EXPECT_EQ(variable("//v1//models/x/", "GET"), "x");
    EXPECT_EQ(variable("/models/a/b", "GET"), "a/b");
    EXPECT_EQ(variable("/v1/models", "GET"), "");
}

// Limits go by these names, so a key's endpoint that has none could not be limited.
TEST(Endpoints, ThatKeysAreForHaveNamesForTheirLimits) {
    std::set<std::string_view> names;
    for (const Endpoint& endpoint : endpoints()) {
        const bool for_keys =
            endpoint.path.starts_with("/v1/") || endpoint.path.starts_with("/v1beta/") ||
            (endpoint.path.starts_with("/api/") && endpoint.audience.kind == Audience::Kind::keys);
        EXPECT_EQ(!metering::endpoint_at(endpoint.path).empty(), for_keys) << endpoint.path;
        if (for_keys) names.insert(metering::endpoint_at(endpoint.path));
    }
    EXPECT_EQ(names.size(), metering::endpoint_names.size());
}

}  // namespace
}  // namespace runnel::server
