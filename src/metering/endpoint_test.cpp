#include "metering/endpoint.hpp"

#include <gtest/gtest.h>

namespace runnel::metering {
namespace {

TEST(Endpoint, HasWhatIsUnderItsPath) {
    for (const auto name : endpoint_names) EXPECT_EQ(endpoint_at(name), name);
    EXPECT_EQ(endpoint_at("/v1/models/openai/gpt-5"), "/v1/models");
    EXPECT_EQ(endpoint_at("/v1/logs/chatcmpl-1/stream"), "/v1/logs");
    EXPECT_EQ(endpoint_at("/api/generate"), chat_endpoint);
    EXPECT_EQ(endpoint_at("/v1/responses/resp_1/input_items"), chat_endpoint);
    EXPECT_EQ(endpoint_at("/api/tags"), "/v1/models");
    EXPECT_EQ(endpoint_at("/v1beta/models/openai/gpt-5"), "/v1/models");
    EXPECT_EQ(endpoint_at("/v1beta/models/a:b:countTokens"), chat_endpoint);
    EXPECT_EQ(endpoint_at("/v1/messages/count_tokens"), chat_endpoint);
    EXPECT_EQ(endpoint_at("/v1/modelsandmore"), "");
    EXPECT_EQ(endpoint_at("/admin/v1/logs"), "");
    EXPECT_EQ(endpoint_at(""), "");
}

}  // namespace
}  // namespace runnel::metering
