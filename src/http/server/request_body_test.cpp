#include "http/server/request_body.hpp"

#include "base/limits.hpp"
#include "base/padded.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace runnel::http {
namespace {

constexpr Framing chunked{Framing::Kind::chunked};

std::string zlib_of(std::string_view text, int window_bits) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}
std::string gzip_of(std::string_view text) { return zlib_of(text, 15 + 16); }
std::string deflate_of(std::string_view text) { return zlib_of(text, 15); }
std::string zstd_of(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

HeaderList encoded(std::string_view coding) {
    HeaderList headers;
    if (!coding.empty()) headers.add("Content-Encoding", coding);
    return headers;
}

// What becomes of a body of that length, wanted at once, in steps.
Result<std::string> read(std::string_view wire, std::string_view coding, std::size_t step,
                         RequestBody::Limits limits = {1024 * 1024, nullptr}) {
    RequestBody body({Framing::Kind::length, wire.size()});
    if (auto begun = body.begin(encoded(coding), limits); !begun) return propagate(begun);
    for (std::size_t at = 0; at < wire.size(); at += step) {
        if (auto taken = body.feed(wire.substr(at, step)); !taken) return propagate(taken);
        while (body.is_behind())
            if (auto inflated = body.inflate(); !inflated) return propagate(inflated);
    }
    EXPECT_TRUE(body.is_whole());
    return body.take();
}

TEST(RequestBody, IsTheSameForEveryStepAndEveryMomentItIsWanted) {
    constexpr std::string_view wire = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
    for (std::size_t early = 0; early <= wire.size(); ++early) {
        for (std::size_t step = 1; step <= wire.size(); ++step) {
            RequestBody body(chunked);
            auto taken = body.feed(wire.substr(0, early));
            ASSERT_TRUE(taken);
            ASSERT_TRUE(body.begin({}, {100, nullptr}));
            for (std::size_t at = early; at < wire.size(); at += step)
                ASSERT_TRUE(body.feed(wire.substr(at, step)));
            EXPECT_TRUE(body.has_come());
            EXPECT_EQ(body.take(), "abcde");
        }
    }
}

TEST(RequestBody, LeavesWhatBelongsToTheNextRequest) {
    RequestBody body({Framing::Kind::length, 3});
    EXPECT_EQ(body.feed("abcGET").value(), 3U);
    EXPECT_TRUE(body.has_come());
    EXPECT_EQ(RequestBody().feed("GET").value(), 0U);
}

TEST(RequestBody, RefusesALengthPastItsLimitBeforeAnyByteOfIt) {
    RequestBody body({Framing::Kind::length, 11});
    const auto begun = body.begin({}, {10, nullptr});
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().kind, ErrorKind::request_too_large);
}

TEST(RequestBody, RefusesChunksPastItsLimit) {
    RequestBody early(chunked);
    ASSERT_TRUE(early.feed("b\r\nabcdefghijk"));
    EXPECT_EQ(early.begin({}, {10, nullptr}).error().kind, ErrorKind::request_too_large);
    RequestBody late(chunked);
    ASSERT_TRUE(late.begin({}, {10, nullptr}));
    ASSERT_TRUE(late.feed("a\r\nabcdefghij"));
    EXPECT_EQ(late.feed("\r\n1\r\nx").error().kind, ErrorKind::request_too_large);
}

TEST(RequestBody, TellsWhoeverWantsItWhatWasWrongWithIt) {
    RequestBody body(chunked);
    EXPECT_FALSE(body.feed("x\r\n"));
    EXPECT_FALSE(body.has_come());
    const auto begun = body.begin({}, {10, nullptr});
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().kind, ErrorKind::invalid_value);
}

TEST(RequestBody, TakesNoMemoryForWhatIsOnlyPromised) {
    MemoryBudget budget(100 * limits::mib);
    RequestBody body({Framing::Kind::length, 32 * limits::mib});
    ASSERT_TRUE(body.begin({}, {32 * limits::mib, &budget}));
    const std::string piece(1000, 'x');
    ASSERT_TRUE(body.feed(piece));
    EXPECT_LT(budget.taken(), 16 * limits::kib);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(body.feed(piece));
    EXPECT_GE(budget.taken(), 1'000'000U);
    EXPECT_LT(budget.taken(), 3'000'000U);
}

TEST(RequestBody, DrawsOnTheBudgetForAsLongAsItLives) {
    MemoryBudget budget(limits::mib);
    {
        RequestBody body({Framing::Kind::length, 100'000});
        ASSERT_TRUE(body.feed(std::string(20'000, 'x')));
        EXPECT_EQ(budget.taken(), 0U);
        ASSERT_TRUE(body.begin({}, {limits::mib, &budget}));
        EXPECT_GE(budget.taken(), 20'000U);
        ASSERT_TRUE(body.feed(std::string(80'000, 'x')));
        const std::string text = body.take();
        EXPECT_EQ(text.size(), 100'000U);
        EXPECT_GE(text.capacity(), text.size() + padding_bytes);
        EXPECT_GE(budget.taken(), 100'000U);
    }
    EXPECT_EQ(budget.taken(), 0U);
}

TEST(RequestBody, SaysThatThereIsNoMemoryLeft) {
    MemoryBudget budget(64 * limits::kib);
    RequestBody body(chunked);
    ASSERT_TRUE(body.begin({}, {limits::mib, &budget}));
    ASSERT_TRUE(body.feed("ffff\r\n"));
    Result<std::size_t> taken = 0;
    for (int i = 0; i < 7 && taken; ++i) taken = body.feed(std::string(10'000, 'x'));
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::overloaded);
}

TEST(RequestBody, InflatesWhatIsCompressedWhateverTheSteps) {
    std::string text;
    for (int i = 0; i < 9000; ++i) text += "line " + std::to_string(i) + "\n";
    const std::vector<std::pair<std::string, std::string>> forms{
        {"gzip", gzip_of(text)},
        {"X-Gzip", gzip_of(text)},
        {"deflate", deflate_of(text)},
        {"zstd", zstd_of(text)},
        {"identity", text},
        {"", text},
        {"gzip", gzip_of(text.substr(0, 1000)) + gzip_of(text.substr(1000))},
        {"zstd", zstd_of(text.substr(0, 1000)) + zstd_of(text.substr(1000))}};
    for (const auto& [coding, wire] : forms) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{7}, wire.size()}) {
            const auto got = read(wire, coding, step);
            ASSERT_TRUE(got) << coding << " " << got.error().message;
            EXPECT_TRUE(*got == text) << coding << " in steps of " << step;
        }
        RequestBody body({Framing::Kind::length, wire.size()});
        ASSERT_TRUE(body.feed(wire));
        ASSERT_TRUE(body.begin(encoded(coding), {limits::mib, nullptr})) << coding;
        EXPECT_TRUE(body.take() == text) << coding;
    }
}

TEST(RequestBody, InflatesWhatComesInChunks) {
    const std::string text(100, 'x');
    for (const auto& [coding, wire] : {std::pair{"gzip", gzip_of(text)},
                                       {"deflate", deflate_of(text)},
                                       {"zstd", zstd_of(text)}}) {
        RequestBody body(chunked);
        ASSERT_TRUE(body.begin(encoded(coding), {1000, nullptr}));
        for (const char byte : wire) ASSERT_TRUE(body.feed(std::string("1\r\n") + byte + "\r\n"));
        ASSERT_TRUE(body.feed("0\r\n\r\n")) << coding;
        EXPECT_EQ(body.take(), text);
    }
}

TEST(RequestBody, StopsInflatingABombAtTheLimit) {
    const std::string text(50 * limits::mib, 'x');
    MemoryBudget budget(64 * limits::mib);
    for (const auto& [coding, wire] : {std::pair{"gzip", gzip_of(text)},
                                       {"deflate", deflate_of(text)},
                                       {"zstd", zstd_of(text)}}) {
        ASSERT_LT(wire.size(), 100'000U);
        const auto got = read(wire, coding, wire.size(), {limits::mib, &budget});
        ASSERT_FALSE(got) << coding;
        EXPECT_EQ(got.error().kind, ErrorKind::request_too_large) << coding;
        MemoryBudget small(256 * limits::kib);
        const auto refused = read(wire, coding, wire.size(), {32 * limits::mib, &small});
        ASSERT_FALSE(refused) << coding;
        EXPECT_EQ(refused.error().kind, ErrorKind::overloaded) << coding;
    }
}

TEST(RequestBody, InflatesABombATurnAtATime) {
    const std::string text(8 * limits::mib, 'x');
    for (const auto& [coding, wire] : {std::pair{"gzip", gzip_of(text)},
                                       {"deflate", deflate_of(text)},
                                       {"zstd", zstd_of(text)}}) {
        MemoryBudget budget;
        RequestBody body({Framing::Kind::length, wire.size()});
        ASSERT_TRUE(body.feed(wire));
        ASSERT_TRUE(body.begin(encoded(coding), {text.size(), &budget}));
        EXPECT_TRUE(body.has_come());
        EXPECT_LT(budget.taken(), 4 * limits::mib) << coding;
        int turns = 1;
        for (; body.is_behind(); ++turns) ASSERT_TRUE(body.inflate());
        EXPECT_TRUE(body.is_whole());
        EXPECT_GT(turns, 30) << coding;
        EXPECT_LE(budget.taken(), text.size() + 64 * limits::kib) << coding;
        EXPECT_TRUE(body.take() == text) << coding;
    }
}

TEST(RequestBody, MakesNoRoomToReferBackFurtherThanABodyCanBe) {
    // A frame that wants 8 MiB, and has a block that is not whole.
    const std::string wire("\x28\xb5\x2f\xfd\x00\x68\x40\x1f\x00xx", 11);
    MemoryBudget budget;
    RequestBody large(chunked);
    ASSERT_TRUE(large.begin(encoded("zstd"), {32 * limits::mib, &budget}));
    ASSERT_TRUE(large.feed("b\r\n" + wire));
    RequestBody small(chunked);
    ASSERT_TRUE(small.begin(encoded("zstd"), {4 * limits::kib, &budget}));
    EXPECT_EQ(small.feed("b\r\n" + wire).error().kind, ErrorKind::invalid_value);
}

TEST(RequestBody, SaysWhatIsWrongWithCompressedBytes) {
    const std::string text(1000, 'x');
    for (const auto& [coding, wire] : {std::pair{"gzip", gzip_of(text)},
                                       {"deflate", deflate_of(text)},
                                       {"zstd", zstd_of(text)}}) {
        for (const std::string& bad : {wire.substr(0, wire.size() - 1), "{" + wire,
                                       std::string("{\"plain\": 1}"), wire + "x", std::string()}) {
            const auto got = read(bad, coding, 5);
            ASSERT_FALSE(got) << coding << " " << bad;
            EXPECT_EQ(got.error().kind, ErrorKind::invalid_value);
        }
    }
}

TEST(RequestBody, NamesTheEncodingsThatAreUnderstood) {
    for (const std::string_view coding : {"br", "gzip, gzip", "identity, gzip", "gzip;q=1", "x"}) {
        const auto got = read("x", coding, 1);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().kind, ErrorKind::unsupported_media_type);
        EXPECT_NE(got.error().message.find("gzip, deflate and zstd"), std::string::npos);
    }
    HeaderList twice = encoded("gzip");
    twice.add("content-encoding", "gzip");
    EXPECT_FALSE(content_coding(twice));
}

}  // namespace
}  // namespace runnel::http
