#include "base/authority.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runnel {
namespace {

std::string read(std::string_view text) {
    const auto authority = read_authority(text);
    if (!authority) return "none";
    constexpr std::string_view kinds[] = {"name", "ipv4", "ipv6"};
    return fmt::format("{} {} {}", kinds[static_cast<std::size_t>(authority->kind)],
                       authority->host, authority->port ? int{*authority->port} : -1);
}

TEST(Authority, IsAHostAndPerhapsAPort) {
    EXPECT_EQ(read("Example.com"), "name Example.com -1");
    EXPECT_EQ(read("my_service-1:8080"), "name my_service-1 8080");
    EXPECT_EQ(read("127.0.0.1:0"), "ipv4 127.0.0.1 0");
    EXPECT_EQ(read("[::1]"), "ipv6 ::1 -1");
    EXPECT_EQ(read("[2001:db8::1.2.3.4]:65535"), "ipv6 2001:db8::1.2.3.4 65535");
    // What only looks like an address is a name; who looks it up finds out.
    EXPECT_EQ(read("127.1"), "name 127.1 -1");
    EXPECT_EQ(read("0177.0.0.1"), "name 0177.0.0.1 -1");
}

TEST(Authority, IsNothingElse) {
    for (const char* text : {"",          ":80",        "h:",        "h:x",
                             "h:80x",     "h:+80",      "h:65536",   "h:99999999999",
                             "h:80:80",   "me@h",       "a:b@h",     "@h",
                             "h h",       "h\r\nX: y",  "h/",        "h?x",
                             "h#x",       "h\\x",       "h%41",      "h%00",
                             "h\xC3\xA4", "h*",         "*",         "a,b",
                             "[::1",      "::1",        "[::1]x",    "[::1]:",
                             "[::g]",     "[]",         "[1.2.3.4]", "[v1.x]",
                             "[::1%25e]", "[::1]@evil", "[h]",       "1:2:3:4:5:6:7:8",
                             "h:80 ",     " h"})
        EXPECT_EQ(read(text), "none") << text;
    EXPECT_EQ(read(std::string_view("h\0x", 3)), "none");
}

}  // namespace
}  // namespace runnel
