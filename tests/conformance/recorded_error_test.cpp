#include "corpus.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace runnel::conformance {
namespace {

// What the client must not learn: addresses and credentials that stand in the provider's own words.
std::string leaks(const std::string& upstream, const std::string& client) {
    static const std::regex secret(
        R"((https?://[^\s"'\\<>]+|sk-[A-Za-z0-9_-]{3,}|AIza[A-Za-z0-9_-]+|)"
        R"([a-z0-9-]+(\.[a-z0-9-]+)*\.internal))");
    std::string found;
    for (std::sregex_iterator match(upstream.begin(), upstream.end(), secret), end; match != end;
         ++match)
        if (client.find(match->str()) != std::string::npos) found += match->str() + "\n";
    if (client.find("://") != std::string::npos) found += "an address\n";
    return found;
}

class RecordedError : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }

    cli::TranscodeOptions options() const {
        cli::TranscodeOptions options;
        options.from = GetParam().from();
        options.status = GetParam().status;
        return options;
    }
};

TEST_P(RecordedError, BecomesOneErrorObject) {
    const std::string upstream = GetParam().bytes();
    cli::TranscodeOptions asking = options();
    asking.json = true;
    const std::string client = transcoded(asking, upstream);
    const ClientBody body = read_client_body(client, envelope_of(asking));
    EXPECT_TRUE(nothing_in(body.report())) << client;
    EXPECT_TRUE(body.answer.failed) << client;
    EXPECT_TRUE(nothing_in(leaks(upstream, client))) << client;
}

// Before anything was sent, an error is a body with a status, also to a client that asked for a
// stream. Under status 200 the answer has begun: then it is an error frame.
TEST_P(RecordedError, EndsAStreamWell) {
    const std::string upstream = GetParam().bytes();
    const std::string client = transcoded(options(), upstream);
    EXPECT_TRUE(nothing_in(leaks(upstream, client))) << client;
    if (GetParam().status == 200) {
        const ClientStream stream = read_client_stream(client, envelope_of(options()));
        EXPECT_TRUE(nothing_in(stream.report())) << client;
        EXPECT_TRUE(stream.answer.failed) << client;
        return;
    }
    const ClientBody body = read_client_body(client, envelope_of(options()));
    EXPECT_TRUE(nothing_in(body.report())) << client;
    EXPECT_TRUE(body.answer.failed) << client;
}

// The key that a provider refuses is the gateway's, so its client must not be told that its
// own is wrong.
TEST_P(RecordedError, NeverBlamesTheClientsKey) {
    if (GetParam().status != 401) return;
    const std::string client = transcoded(options(), GetParam().bytes());
    EXPECT_EQ(client.find("authentication_error"), std::string::npos) << client;
    EXPECT_EQ(client.find("invalid_api_key"), std::string::npos) << client;
}

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedError, testing::ValuesIn(recordings_of(Kind::error)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

TEST(UpstreamError, KeepsTheProvidersSecrets) {
    const std::string upstream =
        R"({"error":{"message":"key sk-live-XYZ123 refused by http://llm-7.prod.internal:8080/v1 )"
        R"(on llm-7.prod.internal","type":"invalid_request_error","param":null,"code":"bad"}})";
    for (const std::string from : {"openai", "anthropic", "gemini", "ollama", "xai", "mistral"}) {
        for (const int status : {400, 401, 403, 404, 422, 429, 500, 503, 529}) {
            cli::TranscodeOptions options;
            options.from = from;
            options.status = status;
            const std::string client = transcoded(options, upstream);
            EXPECT_TRUE(nothing_in(leaks(upstream, client)))
                << from << " " << status << ": " << client;
            EXPECT_TRUE(nothing_in(read_client_body(client, envelope_of(options)).report()))
                << client;
        }
    }
}

TEST(UpstreamError, KeepsSecretsOfAnErrorInsideAStream) {
    const std::string upstream = sse(
        {R"({"choices":[{"index":0,"delta":{"content":"Hel"}}]})",
         R"({"error":{"message":"http://llm-7.prod.internal/ says sk-live-XYZ123","code":500}})"});
    const std::string client = transcoded("openai", upstream);
    EXPECT_TRUE(nothing_in(leaks(upstream, client))) << client;
    EXPECT_TRUE(nothing_in(read_client_stream(client, {}).report())) << client;
}

}  // namespace
}  // namespace runnel::conformance
