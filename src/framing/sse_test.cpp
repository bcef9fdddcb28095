#include "framing/sse.hpp"

#include "framing/frames_of.hpp"

namespace runnel::framing {
namespace {

// At every split, because each rule must hold wherever a read ends.
CopiedFrames frames(std::string_view wire) {
    return frames_for_every_split([] { return Decoder(1024); }, wire);
}

TEST(SseDecoder, YieldsOneFramePerEvent) {
    EXPECT_EQ(frames("data: {\"a\":1}\n\ndata: {\"b\":2}\n\n"),
              (CopiedFrames{{"", R"({"a":1})"}, {"", R"({"b":2})"}}));
}

TEST(SseDecoder, TakesEveryLineEnd) {
    const CopiedFrames expected{{"x", "1"}, {"", "2"}};
    EXPECT_EQ(frames("event: x\ndata: 1\n\ndata: 2\n\n"), expected);
    EXPECT_EQ(frames("event: x\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n"), expected);
    EXPECT_EQ(frames("event: x\rdata: 1\r\rdata: 2\r\r"), expected);
    EXPECT_EQ(frames("event: x\r\ndata: 1\r\n\ndata: 2\n\r\n"), expected);
}

TEST(SseDecoder, NeedsNoSpaceAfterTheColonAndDropsOneOnly) {
    EXPECT_EQ(frames("data:1\n\ndata:  2\n\n"), (CopiedFrames{{"", "1"}, {"", " 2"}}));
}

TEST(SseDecoder, JoinsSeveralDataLines) {
    EXPECT_EQ(frames("data: a\ndata:\ndata: b\n\n"), (CopiedFrames{{"", "a\n\nb"}}));
}

TEST(SseDecoder, NamesAnEventUntilItsEndOnly) {
    EXPECT_EQ(frames("data: 1\nevent: x\n\ndata: 2\n\n"), (CopiedFrames{{"x", "1"}, {"", "2"}}));
}

TEST(SseDecoder, SkipsCommentsAndFieldsItDoesNotKnow) {
    EXPECT_EQ(frames(": ping\n\n:\nid: 7\nretry: 10\ndata: 1\nother: x\nnocolon\n\n: bye\n\n"),
              (CopiedFrames{{"", "1"}}));
}

TEST(SseDecoder, YieldsNothingForAnEventWithoutData) {
    EXPECT_EQ(frames("event: x\n\ndata:\n\ndata\n\nid: 1\n\n\n\n"), CopiedFrames{});
}

TEST(SseDecoder, DropsAByteOrderMarkAtTheStartOnly) {
    EXPECT_EQ(frames("\xEF\xBB\xBF"
                     "data: 1\n\n"),
              (CopiedFrames{{"", "1"}}));
    EXPECT_EQ(frames("data: 1\n\n\xEF\xBB\xBF"
                     "data: 2\n\n"),
              (CopiedFrames{{"", "1"}}));
}

TEST(SseDecoder, YieldsALastEventWithoutItsBlankLine) {
    EXPECT_EQ(frames("data: 1\n\ndata: [DONE]"), (CopiedFrames{{"", "1"}, {"", "[DONE]"}}));
    EXPECT_EQ(frames("event: x\ndata: 1\n"), (CopiedFrames{{"x", "1"}}));
}

TEST(SseDecoder, KeepsColonsInData) {
    EXPECT_EQ(frames("data: a: b:c\n\n"), (CopiedFrames{{"", "a: b:c"}}));
}

TEST(SseDecoder, TakesAnErrorFieldForAnErrorEvent) {
    EXPECT_EQ(frames("data: 1\n\nerror: {\"code\":1}\n\n"),
              (CopiedFrames{{"", "1"}, {"error", R"({"code":1})"}}));
}

TEST(SseDecoder, YieldsBareJsonAsAnEventOfItsOwn) {
    EXPECT_EQ(frames("data: 1\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n"),
              (CopiedFrames{{"", "1"}, {"bare", "{\n  \"error\": {\n    \"code\": 503\n  }\n}"}}));
}

TEST(SseDecoder, EndsBareJsonWhereAFieldBegins) {
    EXPECT_EQ(frames("{\"error\":1}\ndata: [DONE]\n\n"),
              (CopiedFrames{{"bare", "{\"error\":1}"}, {"", "[DONE]"}}));
}

TEST(SseDecoder, LeavesBracesInsideAnEventAlone) {
    EXPECT_EQ(frames("data: 1\n{\"x\":1}\n\n"), (CopiedFrames{{"", "1"}}));
}

TEST(SseDecoder, PartsObjectsThatNoBlankLineParts) {
    EXPECT_EQ(frames("event: x\ndata: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n"),
              (CopiedFrames{{"x", R"({"a":1})"}, {"", R"({"b":2})"}, {"", "[DONE]"}}));
    EXPECT_EQ(frames("event: x\ndata: {\"a\":1}\nevent: error\ndata: {\"b\":2}\n"),
              (CopiedFrames{{"x", R"({"a":1})"}, {"error", R"({"b":2})"}}));
    EXPECT_EQ(frames("data: {\"a\":\ndata: {}\ndata: }\n\n"),
              (CopiedFrames{{"", "{\"a\":\n{}\n}"}}));
}

TEST(SseDecoder, HandsOutAWholeFrameInPlace) {
    class Looker final : public FrameSink {
    public:
        void on_frame(const Frame& frame) override { seen = frame.data.data(); }
        const char* seen = nullptr;
    };
    std::string wire = "data: abc\n\n";
    const Padded bytes = Padded::of(wire);
    Looker looker;
    Decoder decoder(100);
    ASSERT_TRUE(decoder.feed(bytes, looker));
    EXPECT_EQ(looker.seen, bytes.data() + 6);
}

TEST(SseDecoder, FailsOnAFramePastItsLimit) {
    const std::string half(60, 'x');
    for (std::string wire : {"data: " + half + half, "data: " + half + "\ndata: " + half + "\n"}) {
        Decoder decoder(100);
        FrameCopier copier;
        const auto fed = decoder.feed(Padded::of(wire), copier);
        ASSERT_FALSE(fed);
        EXPECT_EQ(fed.error().kind, ErrorKind::upstream_malformed);
        EXPECT_NE(fed.error().message.find("100 bytes"), std::string::npos);
    }
}

TEST(SseDecoder, TakesAStreamOfAnyLengthWithSmallFrames) {
    Decoder decoder(100);
    FrameCopier copier;
    for (int i = 0; i < 1000; ++i) {
        std::string wire = "data: " + std::to_string(i) + "\n\n";
        ASSERT_TRUE(decoder.feed(Padded::of(wire), copier));
    }
    EXPECT_EQ(copier.frames.size(), 1000U);
}

}  // namespace
}  // namespace runnel::framing
