#include "config/secret_file.hpp"

#include "config/config.hpp"
#include "support/config_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

namespace runnel::config {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string credentials;  // what systemd would name

const char* variables(const char* name) {
    const bool asked = std::strcmp(name, "CREDENTIALS_DIRECTORY") == 0 && !credentials.empty();
    return asked ? credentials.c_str() : nullptr;
}

class SecretFile : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "runnel-secret-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        credentials.clear();
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string put(const char* name, const std::string& content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return folder_ / name;
    }
    std::string problem_of(const std::string& yaml) const {
        const auto config = read_config(yaml, variables, folder_);
        EXPECT_FALSE(config) << yaml;
        return config ? "" : config.error().front().message;
    }

    fs::path folder_;
};

TEST_F(SecretFile, IsReadWithoutItsLastLineBreak) {
    EXPECT_EQ(read_secret_file(put("a", "sk-one\n")), "sk-one");
    EXPECT_EQ(read_secret_file(put("b", "sk-two\r\n")), "sk-two");
    EXPECT_EQ(read_secret_file(put("c", "sk three")), "sk three");
    EXPECT_EQ(read_secret_file(put("d", "two\nlines\n\n")), "two\nlines\n");
}

TEST_F(SecretFile, SaysWhatIsWrongAndNotWhatIsInIt) {
    EXPECT_THAT(read_secret_file(folder_ / "none").error(), HasSubstr("there is no file"));
    EXPECT_THAT(read_secret_file(folder_).error(), HasSubstr("not a regular file"));
    EXPECT_THAT(read_secret_file(put("empty", "\n")).error(), HasSubstr("is empty"));
    const auto large = read_secret_file(put("large", std::string(70'000, 'k')));
    EXPECT_THAT(large.error(), HasSubstr("more than 65536 bytes"));
    EXPECT_THAT(large.error(), Not(HasSubstr("kkk")));
}

TEST_F(SecretFile, APipeThatNobodyWritesToIsNotWaitedFor) {
    const std::string pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(read_secret_file(pipe).error(), HasSubstr("not a regular file"));
}

TEST_F(SecretFile, StandsWhereverASecretDoes) {
    put("key", "sk-1\n");
    put("url", "redis://:pw@cache.test\n");
    put("database", "postgres://u:pw@db.test/x\n");
    put("token", "a-token-of-some-length\n");
    const auto config = read_config(R"(
providers:
  one: {kind: openai, api_key: {file: key}}
  many: {kind: openai, keys: [{file: key}, plain], headers: {X-Team: {file: key}}}
store: {file: database}
shared: {redis: {file: url}}
admin: {token: {file: token}}
tools:
  files: {mcp: {command: x, env: {TOKEN: {file: key}}}, hook_key: {file: key}}
  remote: {mcp: "http://mcp.test", headers: {Authorization: {file: key}}}
traces: {endpoint: "http://127.0.0.1:4318", headers: {Key: {file: key}}}
)",
                                    variables, folder_);
    ASSERT_TRUE(config) << config.error().front().message;
    EXPECT_THAT(config->providers[0].keys, ElementsAre(Secret("sk-1")));
    EXPECT_THAT(config->providers[1].keys, ElementsAre(Secret("sk-1"), Secret("plain")));
    EXPECT_EQ(config->providers[1].headers[0].second, "sk-1");
    EXPECT_EQ(config->access.store.url.reveal(), "postgres://u:pw@db.test/x");
    EXPECT_EQ(config->access.shared.redis_url.reveal(), "redis://:pw@cache.test");
    EXPECT_EQ(config->admin_token.reveal(), "a-token-of-some-length");
    EXPECT_EQ(config->tools[0].hook_key.reveal(), "sk-1");
    EXPECT_EQ(config->traces->headers[0].second, "sk-1");
    EXPECT_EQ(config->secret_files.size(), 10u);
    EXPECT_EQ(config->secret_files.front(), folder_ / "key");
}

TEST_F(SecretFile, CanBeACredentialOfSystemd) {
    const std::string yaml = "providers: {p: {kind: openai, api_key: {credential: openai}}}";
    EXPECT_EQ(
        problem_of(yaml),
        "providers.p.api_key.credential: systemd has given this process no credentials; write "
        "LoadCredential=openai:PATH into its unit, or use {file: PATH}");
    put("openai", "sk-2");
    credentials = folder_;
    const auto config = read_config(yaml, variables);
    ASSERT_TRUE(config);
    EXPECT_THAT(config->providers[0].keys, ElementsAre(Secret("sk-2")));
    EXPECT_THAT(problem_of("admin: {token: {credential: ../etc/shadow}}"),
                HasSubstr("must be a credential's name"));
}

TEST_F(SecretFile, ProblemsNameThePlaceAndNotTheSecret) {
    EXPECT_THAT(problem_of("admin: {token: {file: none}}"),
                HasSubstr("admin.token: there is no file '" + (folder_ / "none").string() + "'"));
    EXPECT_THAT(problem_of("admin: {token: {fil: x}}"), HasSubstr("did you mean 'file'?"));
    EXPECT_THAT(problem_of("admin: {token: {}}"), HasSubstr("{file: PATH} or {credential: NAME}"));
    put("two", "sk-secret\nlines");
    const std::string said = problem_of("providers: {p: {kind: openai, api_key: {file: two}}}");
    EXPECT_THAT(said, HasSubstr("providers.p.api_key"));
    EXPECT_THAT(said, Not(HasSubstr("sk-secret")));
}

}  // namespace
}  // namespace runnel::config
