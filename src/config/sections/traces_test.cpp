#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using testing::problem;
using testing::read;

TEST(ConfigTraces, AreOffUnlessThereIsACollector) { EXPECT_FALSE(read("").traces); }

TEST(ConfigTraces, HaveDefaults) {
    const auto traces = read("traces: {endpoint: 'http://127.0.0.1:4318/v1/traces'}").traces;
    ASSERT_TRUE(traces);
    EXPECT_EQ(traces->endpoint, "http://127.0.0.1:4318/v1/traces");
    EXPECT_EQ(traces->service_name, "runnel");
    EXPECT_EQ(traces->sample, 1);
    EXPECT_TRUE(traces->headers.empty());
}

TEST(ConfigTraces, MayBeFewAndGoElsewhere) {
    const auto traces = read("traces:\n"
                             "  endpoint: https://otel.example.com/otlp/v1/traces?x=1\n"
                             "  headers: {Authorization: Bearer abc}\n"
                             "  sample: 0.1\n"
                             "  service_name: gateway-eu\n")
                            .traces;
    ASSERT_TRUE(traces);
    EXPECT_EQ(traces->endpoint, "https://otel.example.com/otlp/v1/traces?x=1");
    EXPECT_THAT(traces->headers, ElementsAre(Pair("Authorization", "Bearer abc")));
    EXPECT_EQ(traces->sample, 0.1);
    EXPECT_EQ(traces->service_name, "gateway-eu");
}

TEST(ConfigTraces, FindTheUsualPathByThemselves) {
    for (const char* url : {"http://collector:4318", "http://collector:4318/"})
        EXPECT_EQ(read("traces: {endpoint: '" + std::string(url) + "'}").traces->endpoint,
                  "http://collector:4318/v1/traces");
}

TEST(ConfigTraces, SayWhatIsWrong) {
    EXPECT_THAT(problem("traces: {}"), HasSubstr("traces: endpoint is missing"));
    EXPECT_THAT(problem("traces: {endpoint: 'collector:4318'}"),
                HasSubstr("traces.endpoint must be a URL such as http://127.0.0.1:4318/v1/traces, "
                          "not 'collector:4318'"));
    EXPECT_THAT(problem("traces: {endpoint: 'grpc://collector:4317'}"),
                HasSubstr("traces.endpoint"));
    EXPECT_THAT(problem("traces: {endpoint: 'http://c', sample: 10}"), HasSubstr("traces.sample"));
    EXPECT_THAT(problem("traces: {endpoint: 'http://c', sample: -0.1}"),
                HasSubstr("traces.sample"));
    EXPECT_THAT(problem("traces: {endpoint: 'http://c', service_name: ''}"),
                HasSubstr("traces.service_name"));
    EXPECT_THAT(problem("traces: {endpoint: 'http://c', headers: {'a b': c}}"),
                HasSubstr("this is not the name of a header"));
    EXPECT_THAT(problem("traces: {endpoint: 'http://c', ratio: 0.1}"),
                HasSubstr("unknown key 'ratio' in traces"));
    EXPECT_THAT(problem("traces: 'http://c'"), HasSubstr("traces must be a map"));
}

}  // namespace
}  // namespace runnel::config
