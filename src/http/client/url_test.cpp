#include "http/client/url.hpp"

#include <gtest/gtest.h>

namespace runnel::http {
namespace {

std::string read(std::string_view text) {
    const auto url = read_url(text);
    return url ? url->origin + " " + url->target : "error";
}

std::string resolve(std::string_view base, std::string_view reference) {
    const auto page = read_url(base);
    if (!page) return "bad base";
    const auto url = resolve_url(*page, reference);
    return url ? url->text() : "error";
}

TEST(Url, HasTwoHalves) {
    EXPECT_EQ(read("https://example.com"), "https://example.com /");
    EXPECT_EQ(read("http://example.com:8080/a/b?c=d#e"), "http://example.com:8080 /a/b?c=d");
    EXPECT_EQ(read("HTTP://[::1]:80?q"), "http://[::1]:80 /?q");
    EXPECT_EQ(read("  https://example.com/x \n"), "https://example.com /x");
}

TEST(Url, EncodesWhatCannotStandInARequest) {
    EXPECT_EQ(read("http://h/a b\r\nHost: x"), "http://h /a%20b%0D%0AHost:%20x");
    EXPECT_EQ(read("http://h/größe?a={b}"), "http://h /gr%C3%B6%C3%9Fe?a=%7Bb%7D");
    EXPECT_EQ(read("http://h/%41%zz"), "http://h /%41%zz");
}

TEST(Url, RefusesWhatLeadsElsewhereThanItSeems) {
    for (const char* text : {"",
                             "example.com",
                             "ftp://h/",
                             "file:///etc/passwd",
                             "http:",
                             "http:/h",
                             "http://",
                             "http:///x",
                             "http://good.example@evil.example/",
                             "http://h\\@evil.example/",
                             "http://h:port/",
                             "http://h:99999/",
                             "http://h:/",
                             "http://[1.2.3.4]/",
                             "http://[v1.x]/",
                             "http://a%41/",
                             "http://h h/",
                             "http://[::1/",
                             "http://ex\xC3\xA4/",
                             "javascript:alert(1)",
                             "//h/x"})
        EXPECT_EQ(read(text), "error") << text;
}

TEST(Url, ResolvesWhatARedirectSays) {
    const std::string base = "https://h/a/b/c?q=1";
    EXPECT_EQ(resolve(base, "http://other/x"), "http://other/x");
    EXPECT_EQ(resolve(base, "//other/x"), "https://other/x");
    EXPECT_EQ(resolve(base, "/x?y#z"), "https://h/x?y");
    EXPECT_EQ(resolve(base, "d"), "https://h/a/b/d");
    EXPECT_EQ(resolve(base, "../d"), "https://h/a/d");
    EXPECT_EQ(resolve(base, "../../../../d/."), "https://h/d/");
    EXPECT_EQ(resolve(base, ".."), "https://h/a/");
    EXPECT_EQ(resolve(base, "?y=2"), "https://h/a/b/c?y=2");
    EXPECT_EQ(resolve(base, "#top"), "https://h/a/b/c?q=1");
    EXPECT_EQ(resolve(base, ""), "https://h/a/b/c?q=1");
    EXPECT_EQ(resolve(base, "d/http://x"), "https://h/a/b/d/http://x");
    EXPECT_EQ(resolve(base, "file:///etc/passwd"), "error");
    EXPECT_EQ(resolve("https://h", "x"), "https://h/x");
    EXPECT_EQ(resolve(base, "a b?[c]=%41%zz"), "https://h/a/b/a%20b?[c]=%41%zz");
    EXPECT_EQ(resolve(base, "x%2Fy/%7e;v=1,2"), "https://h/a/b/x%2Fy/%7e;v=1,2");
    EXPECT_EQ(resolve("https://h/%zz[1]/x", "y\r\nz"), "https://h/%zz[1]/y%0D%0Az");
    EXPECT_EQ(resolve(base, "//a@b/x"), "error");
}

}  // namespace
}  // namespace runnel::http
