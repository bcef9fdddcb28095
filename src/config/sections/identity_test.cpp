#include "config/sections/sections.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

namespace runnel::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::problem;
using testing::read;

Provider only_provider(std::string_view fields) {
    const Config config = read("providers: {a: {" + std::string(fields) + "}}");
    return config.providers.empty() ? Provider{} : config.providers[0];
}

std::string complaint(std::string_view fields) {
    return problem("providers: {a: {" + std::string(fields) + "}}");
}

TEST(ConfigClouds, ReadsWhereAModelIs) {
    const Provider bedrock = only_provider(
        "kind: bedrock, region: eu-west-1, api: converse, guardrail: {id: abc, version: '2'}");
    EXPECT_EQ(bedrock.cloud.region, "eu-west-1");
    EXPECT_EQ(bedrock.cloud.api, "converse");
    EXPECT_EQ(bedrock.cloud.guardrail, "abc");
    EXPECT_EQ(bedrock.cloud.guardrail_version, "2");
    const Provider vertex = only_provider("kind: vertex, project: p, location: eu");
    EXPECT_EQ(vertex.cloud.project, "p");
    EXPECT_EQ(vertex.cloud.location, "eu");
}

TEST(ConfigClouds, SaysWhatIsMissingOrOutOfPlace) {
    EXPECT_THAT(complaint("kind: bedrock"), HasSubstr("needs a region, e.g. region: us-east-1"));
    EXPECT_THAT(complaint("kind: bedrock, region: 'a/b'"), HasSubstr("is no region of AWS"));
    EXPECT_THAT(complaint("kind: bedrock, region: us-east-1, api: chat"),
                HasSubstr("there are converse and invoke"));
    EXPECT_THAT(complaint("kind: vertex"), HasSubstr("needs a project"));
    EXPECT_THAT(complaint("kind: vertex, project: p, location: 'x.y'"),
                HasSubstr("is no location of Vertex AI"));
    EXPECT_THAT(complaint("kind: openai, region: us-east-1"),
                HasSubstr("only kind: bedrock has a region"));
    EXPECT_THAT(complaint("kind: bedrock, region: us-east-1, project: p"),
                HasSubstr("only kind: vertex has a project"));
    EXPECT_THAT(complaint("kind: openai, guardrail: {id: x}"),
                HasSubstr("only kind: bedrock has a guardrail"));
    EXPECT_THAT(complaint("kind: bedrock, region: us-east-1, guardrail: {version: '1'}"),
                HasSubstr("id is missing"));
}

TEST(ConfigIdentity, ReadsKeysOfAws) {
    const Provider provider = only_provider(
        "kind: bedrock, region: us-east-1, "
        "credentials: {access_key_id: AKID, secret_access_key: key, session_token: s}");
    const auto& aws = std::get<provider::AwsIdentity>(provider.identity);
    EXPECT_EQ(aws.keys.id, "AKID");
    EXPECT_EQ(aws.keys.secret, Secret("key"));
    EXPECT_EQ(aws.keys.session_token, Secret("s"));
    const Provider named =
        only_provider("kind: bedrock, region: us-east-1, credentials: {profile: work}");
    EXPECT_EQ(std::get<provider::AwsIdentity>(named.identity).profile, "work");
}

TEST(ConfigIdentity, ReadsAnApplicationOfEntraAndAMachine) {
    const Provider provider = only_provider(
        "kind: azure, base_url: 'https://r.openai.azure.com', "
        "credentials: {tenant_id: t, client_id: c, client_secret: s, scope: x/.default}");
    const auto& entra = std::get<provider::EntraIdentity>(provider.identity);
    EXPECT_EQ(entra.tenant, "t");
    EXPECT_EQ(entra.client_id, "c");
    EXPECT_EQ(entra.client_secret, Secret("s"));
    EXPECT_EQ(entra.scope, "x/.default");
    const Provider machine = only_provider("kind: azure, base_url: 'https://r.openai.azure.com', "
                                           "credentials: {managed_identity: true}");
    EXPECT_TRUE(std::get<provider::EntraIdentity>(machine.identity).managed);
}

TEST(ConfigIdentity, ReadsACommand) {
    const Provider provider =
        only_provider("kind: openai, api_key: {command: [pass, show, openai], ttl: 1h}");
    const auto& command = std::get<provider::CommandIdentity>(provider.identity);
    EXPECT_THAT(command.command, ElementsAre("pass", "show", "openai"));
    EXPECT_EQ(command.ttl, 1h);
    EXPECT_TRUE(provider.keys.empty());
    const Provider unsaid = only_provider("kind: openai, api_key: {command: [pass]}");
    EXPECT_EQ(std::get<provider::CommandIdentity>(unsaid.identity).ttl, 10min);
}

TEST(ConfigIdentity, SaysWhatIsWrong) {
    const std::string bedrock = "kind: bedrock, region: us-east-1, ";
    EXPECT_THAT(complaint(bedrock + "credentials: {access_key_id: AKID}"),
                HasSubstr("belong together"));
    EXPECT_THAT(complaint(bedrock + "credentials: {access_key_id: A, secret_access_key: k, "
                                    "profile: p}"),
                HasSubstr("either the keys or the profile"));
    EXPECT_THAT(complaint(bedrock + "api_key: k, credentials: {profile: p}"),
                HasSubstr("there is an api_key already"));
    EXPECT_THAT(complaint("kind: openai, credentials: {profile: p}"),
                HasSubstr("kind: openai has no credentials; write an api_key"));
    const std::string azure = "kind: azure, base_url: 'https://r.openai.azure.com', ";
    EXPECT_THAT(complaint(azure + "credentials: {tenant_id: t}"),
                HasSubstr("a tenant_id, a client_id and a client_secret"));
    EXPECT_THAT(complaint(azure + "credentials: {managed_identity: true, client_secret: s}"),
                HasSubstr("a managed identity has neither"));
    EXPECT_THAT(complaint("kind: openai, api_key: {command: []}"),
                HasSubstr("a program and its arguments"));
    EXPECT_THAT(complaint("kind: openai, api_key: {command: [pass], ttl: 1s}"), HasSubstr("ttl"));
}

}  // namespace
}  // namespace runnel::config
