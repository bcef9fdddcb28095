#include "framing/json_array.hpp"

#include "framing/frames_of.hpp"

namespace runnel::framing {
namespace {

CopiedFrames frames(std::string_view wire) {
    return frames_for_every_split([] { return JsonArray(1024); }, wire);
}

TEST(JsonArray, YieldsEachObjectOfTheArray) {
    EXPECT_EQ(frames("[{\"a\":1}\n,\r\n{\"b\":{\"c\":[{}]}}]"),
              (CopiedFrames{{"", R"({"a":1})"}, {"", R"({"b":{"c":[{}]}})"}}));
}

TEST(JsonArray, LeavesBracesAndQuotesInStringsAlone) {
    EXPECT_EQ(frames(R"([{"a":"}{\"}\\"},{"b":"\\\""}])"),
              (CopiedFrames{{"", R"({"a":"}{\"}\\"})"}, {"", R"({"b":"\\\""})"}}));
}

TEST(JsonArray, NeedsNoEndOfTheArray) {
    EXPECT_EQ(frames("[{\"a\":1},"), (CopiedFrames{{"", R"({"a":1})"}}));
}

TEST(JsonArray, YieldsNothingForAnObjectThatIsCutOff) {
    EXPECT_EQ(frames("[{\"a\":1},{\"b\":"), (CopiedFrames{{"", R"({"a":1})"}}));
    EXPECT_EQ(frames("[]"), CopiedFrames{});
}

TEST(JsonArray, FailsOnAnElementPastItsLimit) {
    JsonArray array(10);
    FrameCopier copier;
    std::string wire = "[{\"a\":\"much too long";
    const auto fed = array.feed(Padded::of(wire), copier);
    ASSERT_FALSE(fed);
    EXPECT_EQ(fed.error().kind, ErrorKind::upstream_malformed);
}

}  // namespace
}  // namespace runnel::framing
