#include "provider/credentials/sources.hpp"

#include "base/percent_encoding.hpp"
#include "json/text.hpp"
#include "support/fake_outside.hpp"
#include "support/rsa_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace runnel::provider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FakeOutside;
using ::testing::HasSubstr;
using ::testing::Not;

// "id key session", the token alone, or what went wrong.
std::string shown(const Result<Grant>& grant) {
    if (!grant) return "failed: " + grant.error().message;
    std::string text = grant->id.empty() ? "" : grant->id + " ";
    text += grant->secret.reveal();
    return grant->session.empty() ? text : text + " " + grant->session.reveal();
}

std::string header_of(const OutsideRequest& request, std::string_view name) {
    for (const HeaderField& header : request.headers)
        if (header.name == name) return header.value;
    return "absent";
}

// The value of a form's field.
std::string field_of(std::string_view form, std::string_view name) {
    while (!form.empty()) {
        const std::size_t end = std::min(form.find('&'), form.size());
        const std::string_view field = form.substr(0, end);
        form.remove_prefix(std::min(end + 1, form.size()));
        if (field.starts_with(std::string(name) + "="))
            return percent_decoded(field.substr(name.size() + 1));
    }
    return "absent";
}

constexpr std::string_view aws_reply =
    R"({"Code":"Success","AccessKeyId":"ASIA1","SecretAccessKey":"key/1","Token":"session==",)"
    R"("Expiration":"2027-01-15T09:00:00Z"})";

class Sources : public ::testing::Test {
protected:
    Result<Grant> aws(AwsIdentity identity = {}) {
        return make_aws_source(std::move(identity), "eu-west-1", &outside_)->fetch();
    }
    Result<Grant> google(std::string file = {}) {
        return make_google_source({Secret(std::move(file))}, &outside_)->fetch();
    }
    Result<Grant> entra(EntraIdentity identity) {
        return make_entra_source(std::move(identity), &outside_)->fetch();
    }

    FakeOutside outside_;
};

TEST_F(Sources, OfAwsAreTheConfigsKeysFirst) {
    outside_.variables["AWS_ACCESS_KEY_ID"] = "AKIDENV";
    const auto grant = aws({.keys = {"AKID", Secret("key"), Secret("session")}});
    EXPECT_EQ(shown(grant), "AKID key session");
    EXPECT_FALSE(grant->expires);
}

TEST_F(Sources, OfAwsAreItsVariables) {
    outside_.variables = {{"AWS_ACCESS_KEY_ID", "AKID"},
                          {"AWS_SECRET_ACCESS_KEY", "key"},
                          {"AWS_SESSION_TOKEN", "session"}};
    EXPECT_EQ(shown(aws()), "AKID key session");
}

TEST_F(Sources, OfAwsAreAProfilesKeys) {
    outside_.variables["HOME"] = "/my";
    outside_.files["/my/.aws/credentials"] =
        "# mine\n[default]\naws_access_key_id = AKID1\r\naws_secret_access_key=a=b\n\n"
        "[work]\nAWS_ACCESS_KEY_ID=AKID2\naws_secret_access_key = key2\n"
        "aws_session_token = session2\n";
    outside_.files["/my/.aws/config"] =
        "[profile tool]\ncredential_process = /bin/keys --name \"my key\"\n";
    EXPECT_EQ(shown(aws()), "AKID1 a=b");
    EXPECT_EQ(shown(aws({.profile = "work"})), "AKID2 key2 session2");
    outside_.variables["AWS_PROFILE"] = "work";
    const auto grant = aws();
    EXPECT_EQ(shown(grant), "AKID2 key2 session2");
    EXPECT_TRUE(grant->expires) << "the file is read again now and then";
    EXPECT_THAT(shown(aws({.profile = "absent"})), HasSubstr("failed: the AWS profile"));
    outside_.printed = aws_reply;
    EXPECT_EQ(shown(aws({.profile = "tool"})), "ASIA1 key/1 session==");
    EXPECT_THAT(outside_.ran, ElementsAre(ElementsAre("/bin/keys", "--name", "my key")));
}

TEST_F(Sources, OfAwsAreAContainersEndpoint) {
    outside_.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/abc";
    outside_.reply(200, std::string(aws_reply));
    const auto grant = aws();
    EXPECT_EQ(shown(grant), "ASIA1 key/1 session==");
    EXPECT_EQ(*grant->expires - outside_.time, 1h);
    EXPECT_EQ(outside_.asked[0].url, "http://169.254.170.2/v2/credentials/abc");

    outside_.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1"},
                          {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/var/token"}};
    outside_.files["/var/token"] = "pod\n";
    outside_.reply(200, std::string(aws_reply));
    EXPECT_EQ(shown(aws()), "ASIA1 key/1 session==");
    EXPECT_EQ(outside_.asked[1].url, "http://169.254.170.23/v1");
    EXPECT_EQ(header_of(outside_.asked[1], "authorization"), "pod");
}

TEST_F(Sources, OfAwsIsTheMachineLast) {
    outside_.reply(200, "imds-token");
    outside_.reply(200, "role-name\n");
    outside_.reply(200, std::string(aws_reply));
    EXPECT_EQ(shown(aws()), "ASIA1 key/1 session==");
    ASSERT_EQ(outside_.asked.size(), 3u);
    EXPECT_EQ(outside_.asked[0].method, "PUT");
    EXPECT_EQ(outside_.asked[0].url, "http://169.254.169.254/latest/api/token");
    EXPECT_EQ(outside_.asked[2].url,
              "http://169.254.169.254/latest/meta-data/iam/security-credentials/role-name");
    EXPECT_EQ(header_of(outside_.asked[2], "x-aws-ec2-metadata-token"), "imds-token");
    outside_.variables["AWS_EC2_METADATA_DISABLED"] = "true";
    EXPECT_EQ(shown(aws()), "failed: the gateway has no credentials for AWS");
}

TEST_F(Sources, OfAwsAreAPodsIdentity) {
    outside_.variables = {{"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/jwt"},
                          {"AWS_ROLE_ARN", "arn:aws:iam::1:role/r"}};
    outside_.files["/var/jwt"] = "a.b.c\n";
    outside_.reply(200, "<AssumeRoleWithWebIdentityResponse><Credentials>"
                        "<AccessKeyId>ASIA2</AccessKeyId><SecretAccessKey>k</SecretAccessKey>"
                        "<SessionToken>s</SessionToken><Expiration>2027-01-15T09:00:00Z"
                        "</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>");
    const auto grant = aws();
    EXPECT_EQ(shown(grant), "ASIA2 k s");
    EXPECT_TRUE(grant->expires);
    EXPECT_EQ(outside_.asked[0].url, "https://sts.eu-west-1.amazonaws.com/");
    EXPECT_EQ(field_of(outside_.asked[0].body, "WebIdentityToken"), "a.b.c");
    EXPECT_EQ(field_of(outside_.asked[0].body, "RoleArn"), "arn:aws:iam::1:role/r");
}

TEST_F(Sources, SayShortlyThatAServiceRefused) {
    outside_.reply(200, "t");
    outside_.reply(404, "<html>secret words</html>");
    EXPECT_EQ(shown(aws()),
              "failed: the machine's metadata service gave no credentials: status 404");
    outside_.reply(200, "t");
    outside_.reply(200, "role");
    outside_.reply(200, R"({"Code":"Failed"})");
    EXPECT_EQ(shown(aws()), "failed: the machine's metadata service gave no credentials");
    const auto grant = aws();
    EXPECT_EQ(grant.error().kind, ErrorKind::upstream_unreachable);
    EXPECT_EQ(grant.error().message, "the machine's metadata service could not be reached");
}

std::string service_account(const testing::RsaKey& key) {
    std::string pem;
    json::append_escaped(pem, key.pem());
    return R"({"type":"service_account","private_key_id":"kid1","client_email":"me@p.iam",)"
           R"("token_uri":"https://oauth2.example/token","private_key":")" +
           pem + "\"}";
}

TEST_F(Sources, OfGoogleIsAServiceAccountThatSigns) {
    const testing::RsaKey key;
    outside_.reply(200, R"({"access_token":"ya29","expires_in":3599,"token_type":"Bearer"})");
    const auto grant = google(service_account(key));
    EXPECT_EQ(shown(grant), "ya29");
    EXPECT_EQ(*grant->expires - outside_.time, 3599s);
    ASSERT_EQ(outside_.asked.size(), 1u);
    EXPECT_EQ(outside_.asked[0].url, "https://oauth2.example/token");
    EXPECT_EQ(field_of(outside_.asked[0].body, "grant_type"),
              "urn:ietf:params:oauth:grant-type:jwt-bearer");
    const std::string jwt = field_of(outside_.asked[0].body, "assertion");
    EXPECT_TRUE(key.has_signed(jwt));
    EXPECT_EQ(testing::jwt_part(jwt, 0), R"({"alg":"RS256","typ":"JWT","kid":"kid1"})");
    EXPECT_EQ(testing::jwt_part(jwt, 1),
              R"({"iss":"me@p.iam","scope":"https://www.googleapis.com/auth/cloud-platform",)"
              R"("aud":"https://oauth2.example/token","iat":1800000000,"exp":1800003600})");
}

TEST_F(Sources, OfGoogleGoByItsClockWhereOursIsWrong) {
    const testing::RsaKey key;
    outside_.reply(400, R"({"error":"invalid_grant"})", "Fri, 15 Jan 2027 09:00:00 GMT");
    outside_.reply(200, R"({"access_token":"ya29","expires_in":3599})");
    EXPECT_EQ(shown(google(service_account(key))), "ya29");
    EXPECT_THAT(testing::jwt_part(field_of(outside_.asked[1].body, "assertion"), 1),
                HasSubstr(R"("iat":1800003600)"));
    outside_.reply(400, R"({"error":"invalid_grant","error_description":"secret"})",
                   "Fri, 15 Jan 2027 08:00:10 GMT");
    EXPECT_EQ(shown(google(service_account(key))),
              "failed: Google's token service gave no credentials: status 400 invalid_grant");
}

TEST_F(Sources, OfGoogleAreLookedForWhereItsToolsLook) {
    const testing::RsaKey key;
    outside_.variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "/sa.json"}, {"HOME", "/my"}};
    outside_.files = {
        {"/sa.json", service_account(key)},
        {"/my/.config/gcloud/application_default_credentials.json",
         R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"})"}};
    for (int i = 0; i < 3; ++i) outside_.reply(200, R"({"access_token":"t","expires_in":60})");
    EXPECT_EQ(shown(google()), "t");
    EXPECT_EQ(outside_.asked[0].url, "https://oauth2.example/token");
    outside_.variables.erase("GOOGLE_APPLICATION_CREDENTIALS");
    EXPECT_EQ(shown(google()), "t");
    EXPECT_EQ(outside_.asked[1].url, "https://oauth2.googleapis.com/token");
    EXPECT_EQ(field_of(outside_.asked[1].body, "refresh_token"), "r");
    outside_.files.clear();
    EXPECT_EQ(shown(google()), "t");
    EXPECT_EQ(outside_.asked[2].url, "http://metadata.google.internal/computeMetadata/v1/instance/"
                                     "service-accounts/default/token");
    EXPECT_EQ(header_of(outside_.asked[2], "metadata-flavor"), "Google");
}

TEST_F(Sources, OfGoogleMayBeATokenOfSomebodyWhomItTrusts) {
    outside_.files["/var/oidc"] = R"({"id":"jwt"})";
    outside_.reply(200, R"({"access_token":"federated","expires_in":3600})");
    outside_.reply(200, R"({"accessToken":"account","expireTime":"2027-01-15T08:30:00Z"})");
    const auto grant = google(
        R"({"type":"external_account","audience":"//iam/pool","subject_token_type":"urn:jwt",)"
        R"("token_url":"https://sts.example/v1/token","service_account_impersonation_url":)"
        R"("https://iam.example/sa:generateAccessToken","credential_source":{"file":"/var/oidc",)"
        R"("format":{"type":"json","subject_token_field_name":"id"}}})");
    EXPECT_EQ(shown(grant), "account");
    EXPECT_EQ(*grant->expires - outside_.time, 30min);
    EXPECT_EQ(field_of(outside_.asked[0].body, "subject_token"), "jwt");
    EXPECT_EQ(header_of(outside_.asked[1], "authorization"), "Bearer federated");
}

TEST_F(Sources, OfGoogleSayWhatIsWrongWithTheFile) {
    EXPECT_THAT(shown(google(R"({"type":"impersonated"})")),
                HasSubstr("no service account's file"));
    EXPECT_THAT(shown(google(R"({"type":"service_account","private_key":"nonsense"})")),
                HasSubstr("not an RSA key in PEM"));
}

TEST_F(Sources, OfEntraIsAnApplicationsSecret) {
    outside_.reply(200, R"({"access_token":"aad","expires_in":3599})");
    EXPECT_EQ(shown(entra({.tenant = "t1", .client_id = "c1", .client_secret = Secret("s&1")})),
              "aad");
    EXPECT_EQ(outside_.asked[0].url, "https://login.microsoftonline.com/t1/oauth2/v2.0/token");
    EXPECT_EQ(field_of(outside_.asked[0].body, "client_secret"), "s&1");
    EXPECT_EQ(field_of(outside_.asked[0].body, "scope"),
              "https://cognitiveservices.azure.com/.default");
}

TEST_F(Sources, OfEntraIsACertificateThatSigns) {
    const testing::RsaKey key;
    outside_.variables["AZURE_AUTHORITY_HOST"] = "https://login.example/";
    outside_.reply(200, R"({"access_token":"aad","expires_in":3599})");
    const std::string pem =
        "-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----\n" + key.pem();
    EXPECT_EQ(shown(entra({.tenant = "t1", .client_id = "c1", .certificate = Secret(pem)})), "aad");
    const std::string jwt = field_of(outside_.asked[0].body, "client_assertion");
    EXPECT_TRUE(key.has_signed(jwt));
    // The SHA-256 of "foo", which stands for a certificate.
    EXPECT_THAT(testing::jwt_part(jwt, 0),
                HasSubstr(R"("x5t#S256":"LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g-YpeiGJm564")"));
    EXPECT_THAT(
        testing::jwt_part(jwt, 1),
        HasSubstr(R"("aud":"https://login.example/t1/oauth2/v2.0/token","iss":"c1","sub":"c1")"));
}

TEST_F(Sources, OfEntraIsTheMachinesIdentity) {
    outside_.reply(200, R"({"access_token":"vm","expires_in":"86399"})");
    const auto grant = entra({.managed = true});
    EXPECT_EQ(shown(grant), "vm");
    EXPECT_EQ(*grant->expires - outside_.time, 86399s);
    EXPECT_EQ(outside_.asked[0].url,
              "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&"
              "resource=https%3A%2F%2Fcognitiveservices.azure.com");
    EXPECT_EQ(header_of(outside_.asked[0], "metadata"), "true");

    outside_.variables = {{"IDENTITY_ENDPOINT", "http://127.0.0.1:41/msi"},
                          {"IDENTITY_HEADER", "h"}};
    outside_.reply(200, R"({"access_token":"app","expires_in":"100"})");
    EXPECT_EQ(shown(entra({.client_id = "c1", .managed = true})), "app");
    EXPECT_THAT(outside_.asked[1].url, HasSubstr("http://127.0.0.1:41/msi?api-version=2019-08-01"));
    EXPECT_THAT(outside_.asked[1].url, HasSubstr("&client_id=c1"));
    EXPECT_EQ(header_of(outside_.asked[1], "x-identity-header"), "h");

    outside_.variables = {{"AZURE_FEDERATED_TOKEN_FILE", "/var/jwt"},
                          {"AZURE_CLIENT_ID", "c2"},
                          {"AZURE_TENANT_ID", "t2"}};
    outside_.files["/var/jwt"] = "a.b.c\n";
    outside_.reply(200, R"({"access_token":"pod","expires_in":100})");
    EXPECT_EQ(shown(entra({.managed = true})), "pod");
    EXPECT_EQ(field_of(outside_.asked[2].body, "client_assertion"), "a.b.c");
}

TEST_F(Sources, MayBeACommand) {
    const auto source = make_command_source({.command = {"pass", "show"}, .ttl = 10min}, &outside_);
    outside_.printed = "sk-1\n";
    const auto grant = source->fetch();
    EXPECT_EQ(shown(grant), "sk-1");
    EXPECT_EQ(*grant->expires - outside_.time, 10min);
    EXPECT_THAT(outside_.ran, ElementsAre(ElementsAre("pass", "show")));
    for (const std::string_view printed : {"", "\n", "two\nlines", "a b", "\x01"}) {
        outside_.printed = printed;
        EXPECT_THAT(shown(source->fetch()), HasSubstr("printed no key"));
    }
}

// Whatever a service says, its words may have been asked with, so none of them are shown.
TEST_F(Sources, ShowNoSecretInAnError) {
    for (const std::string_view body :
         {R"({"error":"bad key hunter2 x","access_token":"hunter2"})",
          R"({"Code":"hunter2 is wrong"})", "hunter2", R"({"error":{"message":"hunter2"}})"}) {
        outside_.reply(401, std::string(body));
        const auto grant =
            entra({.tenant = "t", .client_id = "c", .client_secret = Secret("hunter2")});
        ASSERT_FALSE(grant);
        EXPECT_THAT(grant.error().message + grant.error().detail, Not(HasSubstr("hunter2")));
    }
}

}  // namespace
}  // namespace runnel::provider
