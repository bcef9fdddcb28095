#include "http/message/body_decoder.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <string>

namespace runnel::http {
namespace {

constexpr Framing chunked{Framing::Kind::chunked};

struct Decoded {
    std::string body;
    std::string fault;
    bool done = false;
    std::size_t left = 0;  // bytes past the end

    bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view wire, Framing framing, std::size_t step) {
    BodyDecoder decoder(framing);
    Decoded out;
    for (std::size_t at = 0; at < wire.size(); at += step) {
        std::string_view bytes = wire.substr(at, step);
        while (!bytes.empty() && !decoder.done() && decoder.fault().empty())
            out.body += decoder.next(bytes);
        out.left += bytes.size();
    }
    out.fault = decoder.fault();
    if (!out.fault.empty()) out.left = 0;
    out.done = decoder.done();
    return out;
}

TEST(BodyDecoder, DecodesTheSameForEveryStep) {
    for (const std::string_view wire :
         {"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\nGET", "A \r\n0123456789\r\n00\r\n\r\n",
          "5 ; q=\"a b\"\r\nhello\r\n0\r\n\r\n", "3\r\nabcd\r\n", "x\r\n", "3\nabc\r\n",
          "3\r\nabc\r\n0\r\nBad Name: x\r\n\r\n", "3\r\nabc\r\n0\r\n folded\r\n\r\n", "-1\r\nx",
          "+1\r\nx", "0x1\r\nx", "\r\nx", "1;a\rb\r\nx", "fffffffffffffffff\r\nx"}) {
        const Decoded whole = decode(wire, chunked, wire.size());
        for (std::size_t step = 1; step < wire.size(); ++step)
            EXPECT_EQ(decode(wire, chunked, step), whole) << wire << " in steps of " << step;
    }
}

TEST(BodyDecoder, JoinsChunksAndDropsTheRest) {
    const Decoded got =
        decode("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\nGET", chunked, 100);
    EXPECT_EQ(got.body, "abcde");
    EXPECT_TRUE(got.done);
    EXPECT_EQ(got.left, 3U);
}

TEST(BodyDecoder, RefusesWhatIsNoChunk) {
    for (const std::string_view wire : {"x\r\n", "-1\r\nx", "+1\r\nx", "0x1\r\nx", "\r\nx",
                                        "1;a\rb\r\nx", "1 x\r\nx", "3\nabc\r\n", "3\r\nabcd\r\n",
                                        "3\r\nabc\n", "fffffffffffffffff\r\nx", "0\r\n: x\r\n\r\n"})
        EXPECT_NE(decode(wire, chunked, wire.size()).fault, "") << wire;
}

TEST(BodyDecoder, BoundsChunkLinesAndTrailersHoweverTheyAreCut) {
    const std::string extension = "1;" + std::string(limits::chunk_line_bytes, 'x');
    std::string trailers = "0\r\n";
    while (trailers.size() < 2 * limits::trailer_bytes) trailers += "A: b\r\n";
    for (const std::size_t step : {std::size_t{1}, std::size_t{1000}, trailers.size()}) {
        EXPECT_EQ(decode(extension, chunked, step).fault, "the line of a chunk's size is too long");
        EXPECT_EQ(decode(trailers, chunked, step).fault, "the trailers are too long");
    }
}

TEST(BodyDecoder, HandsOutViewsIntoWhatItWasGiven) {
    const std::string wire = "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";
    BodyDecoder decoder(chunked);
    std::string_view bytes = wire;
    EXPECT_EQ(decoder.next(bytes).data(), wire.data() + 3);
    EXPECT_EQ(decoder.next(bytes).data(), wire.data() + 11);
    EXPECT_EQ(decoder.next(bytes), "");
    EXPECT_TRUE(decoder.done());
}

TEST(BodyDecoder, EndsWhereTheLengthSays) {
    for (std::size_t step = 1; step <= 8; ++step) {
        const Decoded got = decode("abcdeXYZ", {Framing::Kind::length, 5}, step);
        EXPECT_EQ(got.body, "abcde");
        EXPECT_TRUE(got.done);
        EXPECT_EQ(got.left, 3U);
    }
    EXPECT_TRUE(BodyDecoder({Framing::Kind::length, 0}).done());
    EXPECT_TRUE(BodyDecoder().done());
    EXPECT_EQ(decode("abc", {Framing::Kind::until_close}, 1).body, "abc");
    EXPECT_FALSE(decode("abc", {Framing::Kind::until_close}, 1).done);
}

}  // namespace
}  // namespace runnel::http
