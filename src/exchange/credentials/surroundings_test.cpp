#include "exchange/credentials/surroundings.hpp"

#include "support/temporary_folder.hpp"
#include "support/web_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <string>

namespace runnel::exchange {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(const Result<std::string>& text) {
    return text ? *text : "failed: " + text.error().message;
}

class SurroundingsTest : public ::testing::Test {
protected:
    std::string run(const std::string& script) {
        return shown(surroundings_.run({"sh", "-c", script}));
    }

    http::UpstreamTls tls_;
    Surroundings surroundings_{&tls_};
};

TEST_F(SurroundingsTest, RunProgramsAndTakeWhatTheyPrint) {
    EXPECT_EQ(run("echo noise >&2; printf 'sk-1\\n'"), "sk-1\n");
    EXPECT_EQ(run("cat"), "") << "nothing can be asked of anybody";
}

TEST_F(SurroundingsTest, SayHowAProgramFailedAndNotWhatItPrinted) {
    EXPECT_EQ(run("echo hunter2; exit 3"),
              "failed: the command that prints the gateway's key exited with status 3");
    EXPECT_THAT(shown(surroundings_.run({"/no/such/program"})), HasSubstr("could not be started"));
    EXPECT_EQ(run("head -c 100000 /dev/zero | tr '\\0' x"),
              "failed: the command that prints the gateway's key printed too much");
}

TEST_F(SurroundingsTest, ReadFilesOfAReasonableSize) {
    const testing::TemporaryFolder folder;
    const std::string path = folder.path() / "token";
    std::ofstream(path) << "a.b.c\n";
    EXPECT_EQ(shown(surroundings_.read_file(path)), "a.b.c\n");
    std::ofstream(path) << std::string(300 * 1024, 'x');
    EXPECT_THAT(shown(surroundings_.read_file(path)), HasSubstr("too large"));
    EXPECT_THAT(shown(surroundings_.read_file(path + "x")), HasSubstr("can't be opened"));
}

TEST_F(SurroundingsTest, AskServicesAndTellWhatTheySay) {
    testing::WebServer server([](const std::string&, testing::WebServer::Socket& socket) {
        testing::WebServer::send(socket, "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n"
                                         "Date: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\nno");
    });
    const auto reply =
        surroundings_.ask({"PUT", server.url("/latest/api/token"), {{"x-ttl", "300"}}, "body"});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 400);
    EXPECT_EQ(reply->body, "no");
    EXPECT_EQ(reply->date, "Wed, 21 Oct 2026 07:28:00 GMT");
    EXPECT_THAT(server.requests()[0], HasSubstr("PUT /latest/api/token HTTP/1.1"));
    EXPECT_THAT(server.requests()[0], HasSubstr("x-ttl: 300"));
}

TEST_F(SurroundingsTest, SayThatNobodyAnswersOrThatAnAddressIsNone) {
    EXPECT_FALSE(surroundings_.ask({.url = "http://127.0.0.1:1/"}));
    const auto wrong = surroundings_.ask({.url = "hunter2"});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, Not(HasSubstr("hunter2")));
}

TEST_F(SurroundingsTest, DoEachWorkOnAThreadOfItsOwnAndWaitForAllAtTheEnd) {
    std::atomic<int> done = 0;
    for (int i = 0; i < 20; ++i) surroundings_.start([&done] { ++done; });
    surroundings_.close();
    EXPECT_EQ(done, 20);
}

TEST_F(SurroundingsTest, EndWhatStillRuns) {
    std::atomic<bool> ended = false;
    surroundings_.start([&] {
        run("sleep 1000");
        ended = true;
    });
    surroundings_.close();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace runnel::exchange
