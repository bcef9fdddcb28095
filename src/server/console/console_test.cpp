#include "server/console/console.hpp"

#include <gtest/gtest.h>

namespace runnel::server {
namespace {

constexpr EmbeddedFile files[] = {
    {"/index.html", "text/html; charset=utf-8", "\"1\"", "<!doctype html>", "zipped page"},
    {"/assets/app-abc.js", "text/javascript", "\"2\"", "run()", "zipped script"},
};

struct Answer {
    int status = 0;  // 0: there is none
    std::string body{};
    http::HeaderList headers{};
};

using Headers = std::initializer_list<std::pair<std::string_view, std::string_view>>;
const Headers browser = {{"Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}};

Answer ask(std::string_view path, Headers headers, SignedIn signed_in = SignedIn::yes,
           std::span<const EmbeddedFile> from = files, std::string_view method = "GET") {
    http::Request request;
    request.method = method;
    request.target = path;
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    Answer answer;
    if (const auto given = answer_console(request, signed_in, from, &answer.headers)) {
        answer.status = given->status;
        answer.body = given->body;
    }
    return answer;
}

TEST(Console, GivesBrowsersItsPageWhateverThePath) {
    for (const std::string_view path :
         {"/", "/requests", "/requests/chatcmpl-1?part=frames", "/x"}) {
        const Answer answer = ask(path, browser);
        EXPECT_EQ(answer.status, 200) << path;
        EXPECT_EQ(answer.body, "<!doctype html>") << path;
        EXPECT_EQ(answer.headers.get("Cache-Control"), "no-cache");
        EXPECT_TRUE(
            answer.headers.get("Content-Security-Policy").starts_with("default-src 'self'"));
    }
}

TEST(Console, LeavesTheApiToPrograms) {
    for (const std::string_view path :
         {"/v1/nothing", "/api/v1/models/x", "/admin/v1/x", "/assets/none.js"})
        EXPECT_EQ(ask(path, browser).status, 0) << path;
    EXPECT_EQ(ask("/", {{"Accept", "*/*"}}).status, 0);
    EXPECT_EQ(ask("/chat/completions", {}).status, 0);
    EXPECT_EQ(ask("/", browser, SignedIn::yes, files, "POST").status, 0);
}

TEST(Console, SaysWithItsPageThatNobodyIsSignedIn) {
    const Answer answer = ask("/", browser, SignedIn::no);
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.body, "<!doctype html>");
    EXPECT_EQ(ask("/assets/app-abc.js", {}, SignedIn::no).status, 200);
}

TEST(Console, LetsBrowsersKeepWhatHasAHashInItsName) {
    const Answer answer = ask("/assets/app-abc.js", {{"Accept", "*/*"}});
    EXPECT_EQ(answer.body, "run()");
    EXPECT_EQ(answer.headers.get("Content-Type"), "text/javascript");
    EXPECT_EQ(answer.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
}

TEST(Console, CompressesForThoseWhoAcceptIt) {
    const Answer answer = ask("/assets/app-abc.js", {{"Accept-Encoding", "gzip, deflate, br"}});
    EXPECT_EQ(answer.body, "zipped script");
    EXPECT_EQ(answer.headers.get("Content-Encoding"), "gzip");
    EXPECT_EQ(ask("/assets/app-abc.js", {{"Accept-Encoding", "br"}}).body, "run()");
}

TEST(Console, IsNotSentAgainToWhoeverHasIt) {
    const Answer answer = ask("/assets/app-abc.js", {{"If-None-Match", "\"2\""}});
    EXPECT_EQ(answer.status, 304);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.headers.get("ETag"), "\"2\"");
    EXPECT_EQ(ask("/assets/app-abc.js", {{"If-None-Match", "\"1\""}}).status, 200);
}

TEST(Console, SaysHowToBuildItWhereItIsMissing) {
    const Answer answer = ask("/", browser, SignedIn::yes, {});
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("./dev build"), std::string::npos);
    EXPECT_EQ(ask("/assets/app-abc.js", browser, SignedIn::yes, {}).status, 0);
}

}  // namespace
}  // namespace runnel::server
