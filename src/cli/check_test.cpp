#include "cli/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace runnel::cli {
namespace {

using testing::HasSubstr;

class Check : public testing::Test {
protected:
    Check() : path_(testing::TempDir() + "runnel_check_" + std::to_string(::getpid()) + ".yaml") {}
    ~Check() override { std::filesystem::remove(path_); }

    int check_text(std::string_view yaml) {
        std::ofstream(path_, std::ios::binary) << yaml;
        return check(path_, out_, err_);
    }

    std::string path_;
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(Check, CountsWhatAGoodFileHas) {
    EXPECT_EQ(check_text("providers:\n"
                         "  local: {kind: openai-compatible, base_url: 'http://127.0.0.1:1/v1'}\n"
                         "models:\n"
                         "  fast: {targets: [local/a]}\n"
                         "  slow: {targets: [local/b, demo/echo]}\n"),
              0);
    EXPECT_EQ(out_.str(), path_ + ": ok, 1 provider and 2 models\n");
    EXPECT_EQ(err_.str(), "");
}

TEST_F(Check, TakesAnEmptyFile) {
    EXPECT_EQ(check_text(""), 0);
    EXPECT_EQ(out_.str(), path_ + ": ok, 0 providers and 0 models\n");
}

TEST_F(Check, WarnsOfToolsThatCannotBeStarted) {
    EXPECT_EQ(check_text("tools:\n"
                         "  here: {mcp: {command: sh}}\n"
                         "  gone: {mcp: {command: no-such-program-here}}\n"
                         "  lost: {mcp: {command: sh, cwd: /no/such/folder}}\n"
                         "models: {m: {targets: [demo/tools], tools: [here, now]}}\n"),
              0);
    EXPECT_EQ(out_.str(), path_ + ": ok, 0 providers, 1 model and 4 tools\n");
    EXPECT_EQ(err_.str(), path_ +
                              ": warning: tools.gone.mcp.command: there is no program "
                              "'no-such-program-here' here; install it, or write its whole "
                              "path\n" +
                              path_ +
                              ": warning: tools.lost.mcp.cwd: there is no folder "
                              "'/no/such/folder'\n");
}

TEST_F(Check, ShowsEachProblemWhereItIs) {
    EXPECT_EQ(check_text("lisen: 1\n"
                         "providers:\n"
                         "  local: {kind: openai-compatible, basurl: 'http://127.0.0.1:1'}\n"),
              1);
    EXPECT_EQ(out_.str(), "");
    EXPECT_EQ(err_.str(), path_ + ":1:1: unknown key 'lisen'; did you mean 'listen'?\n" + path_ +
                              ":3:36: unknown key 'basurl' in providers.local; did you mean "
                              "'base_url'?\n");
}

TEST_F(Check, TakesEverythingThatAModelCanSay) {
    EXPECT_EQ(
        check_text("providers:\n"
                   "  a: {kind: vllm, retries: 1, concurrent: 8, models: {m: {tools: false}}}\n"
                   "  b: {kind: openai, keys: [k1, k2]}\n"
                   "models:\n"
                   "  spread:\n"
                   "    targets: [a/m, {target: b/gpt-5-mini, weight: 3}]\n"
                   "    strategy: weighted\n"
                   "    retries: 0\n"
                   "    timeout: 30s\n"
                   "    timeouts: {first_token: 5s}\n"
                   "    hedge: {after: 800ms}\n"
                   "    midstream: verified\n"
                   "    limits: {max_tokens: 4096, concurrent: 10}\n"
                   "  whole: {targets: [a/m], streaming: false, stream_fallback: spread}\n"
                   "aliases: {gpt: spread}\n"
                   "default_model: gpt\n"
                   "limits: {concurrent: 100, queue: 10, queue_time: 500ms}\n"
                   "ping: off\n"
                   "drain_timeout: 5s\n"
                   "admin: {token: secret-secret-secret}\n"),
        0);
    EXPECT_EQ(out_.str(), path_ + ": ok, 2 providers and 2 models\n");
    EXPECT_EQ(err_.str(), "");
}

TEST_F(Check, RefusesWhatCanNeverDoWhatItSays) {
    EXPECT_EQ(
        check_text("models:\n"
                   "  a: {targets: [demo/echo], hedge: {after: 1s}}\n"
                   "  b: {targets: [demo/echo], streaming: false, stream_fallback: elsewhere}\n"
                   "aliases: {x: nowhere}\n"),
        1);
    EXPECT_EQ(err_.str(),
              path_ +
                  ":2:36: models.a.hedge: a hedge needs two targets at least: it asks the next "
                  "one; add a target, or leave hedge out\n" +
                  path_ +
                  ":3:64: models.b.stream_fallback must be one of the models, or provider/model, "
                  "not 'elsewhere'\n" +
                  path_ +
                  ":4:14: aliases.x must be one of the models, or provider/model, not 'nowhere'\n");
}

TEST_F(Check, WarnsOfKeysThatAreNotThere) {
    ::setenv("RUNNEL_TEST_EMPTY", "", 1);
    EXPECT_EQ(check_text("providers:\n"
                         "  one: {kind: openai, api_key: \"${RUNNEL_TEST_EMPTY}\"}\n"
                         "  two: {kind: openai}\n"),
              0);
    EXPECT_EQ(err_.str(), path_ + ": warning: providers.one: a key is empty\n" + path_ +
                              ": warning: providers.two: no api_key; ${OPENAI_API_KEY} is where it "
                              "usually is\n");
}

TEST_F(Check, WarnsOfCertificatesThatCannotBeRead) {
    EXPECT_EQ(check_text("tls: {cert: /nowhere/cert.pem, key: /nowhere/key.pem}\n"), 0);
    EXPECT_THAT(err_.str(),
                HasSubstr("warning: tls.cert: cannot use '/nowhere/cert.pem': No such file"));
}

TEST_F(Check, SaysWhenTheFileCannotBeRead) {
    EXPECT_EQ(check("/nowhere/runnel.yaml", out_, err_), 1);
    EXPECT_EQ(err_.str(), "/nowhere/runnel.yaml: No such file or directory\n");
    err_.str("");
    EXPECT_EQ(check(testing::TempDir(), out_, err_), 1);
    EXPECT_THAT(err_.str(), HasSubstr("Is a directory"));
    err_.str("");
    EXPECT_EQ(check("/dev/zero", out_, err_), 1);
    EXPECT_THAT(err_.str(), HasSubstr("larger than 1 MiB"));
}

}  // namespace
}  // namespace runnel::cli
