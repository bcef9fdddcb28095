#include "framing/event_stream.hpp"

#include "framing/frames_of.hpp"
#include "support/event_stream_messages.hpp"

namespace runnel::framing {
namespace {

using testing::encoded_headers;
using testing::event_message;
using testing::event_stream_message;
using testing::exception_message;

constexpr std::size_t bytes_max = 1024;

CopiedFrames frames(std::string_view wire) {
    return frames_for_every_split([] { return EventStream(bytes_max); }, wire);
}

// Why a stream is refused, in one read and byte by byte; empty where it is not.
std::string refusal_of(std::string_view wire) {
    const auto refused = [&](std::size_t piece) -> std::string {
        EventStream stream(bytes_max);
        FrameCopier copier;
        for (std::size_t at = 0; at < wire.size(); at += piece) {
            std::string own(wire.substr(at, piece));
            if (auto fed = stream.feed(Padded::of(own), copier); !fed) return fed.error().message;
        }
        return "";
    };
    const std::string whole = refused(wire.size());
    EXPECT_EQ(refused(1), whole);
    return whole;
}

TEST(Crc32, IsThatOfGzip) {
    EXPECT_EQ(crc32(""), 0U);
    EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
    EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414FA339U);
    EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926U);
}

TEST(EventStream, YieldsEachPayloadWithItsEventsName) {
    EXPECT_EQ(frames(event_message("messageStart", R"({"role":"assistant"})") +
                     event_message("contentBlockDelta", R"({"delta":{"text":"Hi"}})")),
              (CopiedFrames{{"messageStart", R"({"role":"assistant"})"},
                            {"contentBlockDelta", R"({"delta":{"text":"Hi"}})"}}));
}

TEST(EventStream, TakesMessagesWithoutHeadersAndWithoutPayload) {
    EXPECT_EQ(frames(event_stream_message("", "") + event_stream_message("", "x")),
              (CopiedFrames{{"", ""}, {"", "x"}}));
}

TEST(EventStream, PassesOverHeadersOfEveryType) {
    std::string headers;
    const auto add = [&](char type, std::string_view value) {
        headers.append("\x01h").append(1, type).append(value);
    };
    add(0, "");
    add(1, "");
    add(2, "a");
    add(3, "ab");
    add(4, "abcd");
    add(5, "abcdefgh");
    add(6, std::string_view("\0\3abc", 5));
    add(8, "abcdefgh");
    add(9, "abcdefghijklmnop");
    headers += encoded_headers({{":event-type", "last"}});
    EXPECT_EQ(frames(event_stream_message(headers, "x")), (CopiedFrames{{"last", "x"}}));
}

// Whether each frame is a failure, and what it says.
class FailureCopier final : public FrameSink {
public:
    void on_frame(const Frame& frame) override {
        all += frame.tells == Frame::Tells::failure ? "failure " : "event ";
        all.append(frame.event).append(": ").append(frame.data.text()).append("\n");
    }
    std::string all;
};

TEST(EventStream, SaysWhatIsAFailure) {
    std::string wire = event_message("messageStart", "{}") +
                       exception_message("throttlingException", R"({"message":"slow down"})") +
                       event_stream_message(encoded_headers({{":message-type", "error"},
                                                             {":error-code", "InternalError"},
                                                             {":error-message", "it broke"}}),
                                            "");
    EventStream stream(bytes_max);
    FailureCopier copier;
    EXPECT_TRUE(stream.feed(Padded::of(wire), copier));
    EXPECT_EQ(copier.all, "event messageStart: {}\n"
                          "failure throttlingException: {\"message\":\"slow down\"}\n"
                          "failure InternalError: it broke\n");
}

TEST(EventStream, RefusesEveryMessageWithAWrongByte) {
    const std::string good = event_message("messageStart", R"({"role":"assistant"})");
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        EXPECT_NE(refusal_of(bad), "") << "byte " << at;
    }
}

TEST(EventStream, RefusesMessagesThatAreTooLarge) {
    EXPECT_EQ(refusal_of(event_stream_message("", std::string(bytes_max - 16, 'x'))), "");
    EXPECT_EQ(refusal_of(event_stream_message("", std::string(bytes_max - 15, 'x'))),
              "an event stream has a message larger than 1024 bytes");
}

TEST(EventStream, RefusesLengthsThatContradictEachOther) {
    for (const auto& [total, headers] : {std::pair{15, 0}, {16, 1}, {40, 25}, {0, 0}}) {
        std::string prelude;
        testing::append_big_endian(prelude, static_cast<std::size_t>(total), 4);
        testing::append_big_endian(prelude, static_cast<std::size_t>(headers), 4);
        testing::append_big_endian(prelude, crc32(prelude), 4);
        EXPECT_EQ(refusal_of(prelude),
                  "an event stream has a message whose lengths contradict each other")
            << total;
    }
}

TEST(EventStream, RefusesHeadersThatEndTooSoon) {
    const std::string headers = encoded_headers({{":event-type", "chunk"}});
    for (std::size_t size = 1; size < headers.size(); ++size)
        EXPECT_NE(refusal_of(event_stream_message(headers.substr(0, size), "{}")), "") << size;
    EXPECT_NE(refusal_of(event_stream_message("\x01h\x0A", "{}")), "") << "an unknown type";
}

TEST(EventStream, RefusesWhatIsNoEventStream) {
    EXPECT_NE(refusal_of("<html>A page of some proxy</html>"), "");
    EXPECT_NE(refusal_of("data: {\"choices\":[]}\n\n"), "");
}

TEST(EventStream, SaysNothingOfAMessageThatWasCutOff) {
    std::string wire = event_message("messageStart", "{}");
    wire.pop_back();
    EXPECT_EQ(frames(wire), CopiedFrames{});
}

}  // namespace
}  // namespace runnel::framing
