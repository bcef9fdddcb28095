#include "telemetry/trace_context.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace runnel::telemetry {
namespace {

constexpr std::string_view example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string changed(std::size_t at, char to) {
    std::string text(example);
    text[at] = to;
    return text;
}

TEST(TraceParent, IsReadAndWrittenBack) {
    const auto parent = read_traceparent(example);
    ASSERT_TRUE(parent);
    EXPECT_EQ(parent->trace, (TraceId{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}));
    EXPECT_EQ(parent->span, 0x00f067aa0ba902b7U);
    EXPECT_EQ(parent->sampled, Sampled::yes);
    EXPECT_EQ(write_traceparent(*parent), example);
}

TEST(TraceParent, OfAnyTraceIsReadBack) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const TraceParent parent{
            {random(), random()}, random() | 1, i % 2 != 0 ? Sampled::yes : Sampled::no};
        EXPECT_EQ(read_traceparent(write_traceparent(parent)), parent);
    }
}

TEST(TraceParent, HasOneFlagThatCounts) {
    for (const auto& [flags, sampled] : {std::pair("00", Sampled::no),
                                         {"01", Sampled::yes},
                                         {"02", Sampled::no},
                                         {"03", Sampled::yes},
                                         {"fe", Sampled::no},
                                         {"ff", Sampled::yes}}) {
        const auto parent = read_traceparent(std::string(example.substr(0, 53)) + flags);
        ASSERT_TRUE(parent) << flags;
        EXPECT_EQ(parent->sampled, sampled) << flags;
    }
}

TEST(TraceParent, OfALaterVersionMayBeLonger) {
    const std::string later = "cc" + std::string(example.substr(2));
    EXPECT_TRUE(read_traceparent(later));
    EXPECT_TRUE(read_traceparent(later + "-what-the-future-brings"));
    EXPECT_FALSE(read_traceparent(later + ".what"));
    EXPECT_FALSE(read_traceparent(std::string(example) + "-what"));
    EXPECT_FALSE(read_traceparent("ff" + std::string(example.substr(2))));
}

TEST(TraceParent, WithoutIdsIsNone) {
    EXPECT_FALSE(read_traceparent("00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
    EXPECT_FALSE(read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"));
}

TEST(TraceParent, WithAnyByteThatDoesNotBelongThereIsNone) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (std::size_t at = 0; at < example.size(); ++at) {
        const bool dash = example[at] == '-';
        for (int byte = 0; byte < 256; ++byte) {
            const char c = static_cast<char>(byte);
            const bool fits = dash ? c == '-' : digits.contains(c);
            const bool no_version = at < 2 && changed(at, c).starts_with("ff");
            EXPECT_EQ(read_traceparent(changed(at, c)).has_value(), fits && !no_version)
                << "byte " << byte << " at " << at;
        }
    }
}

TEST(TraceParent, CutAnywhereIsNone) {
    for (std::size_t size = 0; size < example.size(); ++size)
        EXPECT_FALSE(read_traceparent(example.substr(0, size))) << size;
}

TEST(Trace, OfACallerGoesOn) {
    for (const Sampled sampled : {Sampled::no, Sampled::yes}) {
        const TraceParent parent{{1, 2}, 3, sampled};
        for (const double share : {0.0, 1.0}) {
            const TraceContext context = begin_trace(parent, share, {{7, 8}, 9});
            EXPECT_EQ(context.trace, parent.trace);
            EXPECT_EQ(context.parent, 3U);
            EXPECT_EQ(context.span, 9U);
            EXPECT_EQ(context.sampled, sampled);
        }
    }
}

TEST(Trace, BeginsWhereNobodyHasOne) {
    const TraceContext context = begin_trace(std::nullopt, 1, {{7, 8}, 9});
    EXPECT_TRUE(context.exists());
    EXPECT_TRUE(context.is_told());
    EXPECT_EQ(context.trace, (TraceId{7, 8}));
    EXPECT_EQ(context.parent, 0U);
    EXPECT_EQ(context.traceparent_of(0xAB),
              "00-00000000000000070000000000000008-00000000000000ab-01");
    EXPECT_FALSE(TraceContext{}.exists());
}

TEST(Trace, IsSampledAsOftenAsWanted) {
    const auto sampled_of_10000 = [](double share) {
        int count = 0;
        for (int i = 0; i < 10'000; ++i)
            count += begin_trace(std::nullopt, share, random_ids()).is_told() ? 1 : 0;
        return count;
    };
    EXPECT_EQ(sampled_of_10000(0), 0);
    EXPECT_EQ(sampled_of_10000(1), 10'000);
    EXPECT_NEAR(sampled_of_10000(0.1), 1000, 200);
}

TEST(Trace, ThatASmallShareHasALargerOneHasToo) {
    for (int i = 0; i < 1000; ++i) {
        const NewIds ids = random_ids();
        if (begin_trace(std::nullopt, 0.2, ids).is_told())
            EXPECT_TRUE(begin_trace(std::nullopt, 0.3, ids).is_told());
    }
}

TEST(Trace, HasASpanForEachChild) {
    const TraceContext request = begin_trace(std::nullopt, 1, random_ids());
    std::set<SpanId> spans{0, request.span};
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_TRUE(spans.insert(attempt_span(request, i)).second) << i;
        EXPECT_TRUE(spans.insert(tool_span(request, i)).second) << i;
    }
}

TEST(Trace, IdsAreInSmallHexadecimalDigits) {
    EXPECT_EQ(in_hex(TraceId{0xABCDEF, 1}), "0000000000abcdef0000000000000001");
    EXPECT_EQ(in_hex(SpanId{0xF}), "000000000000000f");
}

}  // namespace
}  // namespace runnel::telemetry
