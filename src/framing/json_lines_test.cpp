#include "framing/json_lines.hpp"

#include "framing/frames_of.hpp"

namespace runnel::framing {
namespace {

CopiedFrames frames(std::string_view wire) {
    return frames_for_every_split([] { return JsonLines(1024); }, wire);
}

TEST(JsonLines, YieldsOneFramePerLine) {
    EXPECT_EQ(frames("{\"a\":1}\n{\"b\":2}\n"),
              (CopiedFrames{{"", R"({"a":1})"}, {"", R"({"b":2})"}}));
}

TEST(JsonLines, SkipsBlankLines) {
    EXPECT_EQ(frames("\n{\"a\":1}\n\n \r\n{\"b\":2}\n\n"),
              (CopiedFrames{{"", R"({"a":1})"}, {"", R"({"b":2})"}}));
}

TEST(JsonLines, YieldsALastLineWithoutItsEnd) {
    EXPECT_EQ(frames("{\"a\":1}\n{\"b\":2}"),
              (CopiedFrames{{"", R"({"a":1})"}, {"", R"({"b":2})"}}));
}

TEST(JsonLines, FailsOnALinePastItsLimit) {
    JsonLines lines(10);
    FrameCopier copier;
    std::string wire = "{\"a\":\"much too long\"}";
    const auto fed = lines.feed(Padded::of(wire), copier);
    ASSERT_FALSE(fed);
    EXPECT_EQ(fed.error().kind, ErrorKind::upstream_malformed);
}

}  // namespace
}  // namespace runnel::framing
