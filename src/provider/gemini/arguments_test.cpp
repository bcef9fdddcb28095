#include "provider/gemini/arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace runnel::provider::gemini {
namespace {

using Piece = Arguments::Piece;

Piece literal(std::string path, std::string_view value) {
    return {.path = std::move(path), .kind = Piece::Kind::literal, .value = value};
}

Piece part_of_string(std::string path, std::string_view value) {
    return {.path = std::move(path),
            .kind = Piece::Kind::string,
            .value = value,
            .will_continue = true};
}

Piece last_of_string(std::string path, std::string_view value) {
    return {.path = std::move(path), .kind = Piece::Kind::string, .value = value};
}

std::string built(const std::vector<Piece>& pieces) {
    Arguments arguments;
    std::string json;
    for (const Piece& piece : pieces) arguments.add(piece, json);
    arguments.close(json);
    return json;
}

TEST(GeminiArguments, OpensAndClosesWhatPathsLieIn) {
    EXPECT_EQ(built({}), "");
    EXPECT_EQ(built({literal("$.a", "1")}), R"({"a":1})");
    EXPECT_EQ(built({literal("$.a.b[0].c", "1"), literal("$.a.b[0].d", "true"),
                     literal("$.a.b[1].c", "null"), literal("$.a.e", "2"), literal("$.f[0]", "3"),
                     literal("$.f[1]", "4")}),
              R"({"a":{"b":[{"c":1,"d":true},{"c":null}],"e":2},"f":[3,4]})");
    EXPECT_EQ(
        built({literal("$.m[0][0]", "1"), literal("$.m[0][1]", "2"), literal("$.m[1][0]", "3")}),
        R"({"m":[[1,2],[3]]})");
}

TEST(GeminiArguments, JoinsTheFragmentsOfAString) {
    EXPECT_EQ(built({part_of_string("$.s", "a\\n"), part_of_string("$.s", "b"),
                     last_of_string("$.s", "")}),
              R"({"s":"a\nb"})");
    EXPECT_EQ(built({part_of_string("$.s", "a"), literal("$.t", "1")}), R"({"s":"a","t":1})");
    EXPECT_EQ(
        built({last_of_string("$.s", "a"), last_of_string("$.s", ""), last_of_string("$.t", "")}),
        R"({"s":"a","t":""})");
}

TEST(GeminiArguments, ReadsQuotedNames) {
    EXPECT_EQ(
        built({literal("$['a.b'][0]", "1"), literal("$[\"c d\"]", "2"), literal("$.e\"", "3")}),
        R"({"a.b":[1],"c d":2,"e\"":3})");
}

TEST(GeminiArguments, LeavesOutWhatHasNoPlace) {
    for (const std::string_view path : {"", "$", "$[0]", "a", "$.a[", "$['a", "$['a'"})
        EXPECT_EQ(built({literal(std::string(path), "1")}), "") << path;
    EXPECT_EQ(built({{.path = "$.a"}}), "");
}

TEST(GeminiArguments, StaysJsonWhenPathsContradictEachOther) {
    EXPECT_EQ(built({literal("$.a", "1"), literal("$.a.b", "2")}), R"({"a":1,"a":{"b":2}})");
    EXPECT_EQ(built({literal("$.a.b", "1"), literal("$.a", "2")}), R"({"a":{"b":1},"a":2})");
    EXPECT_EQ(built({literal("$.a.b", "1"), literal("$.a[0]", "2")}), R"({"a":{"b":1},"a":[2]})");
}

}  // namespace
}  // namespace runnel::provider::gemini
