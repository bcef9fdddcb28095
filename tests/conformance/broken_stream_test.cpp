#include "api_reading.hpp"
#include "corpus.hpp"
#include "plain_reading.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <ranges>

// Whatever upstream sends or fails to send, the client gets a valid stream that ends well: a finish
// and [DONE], or an error and [DONE]. Every input here is made from a fixed seed, so a failure can
// be seen again.
namespace runnel::conformance {
namespace {

constexpr std::array<std::string_view, 6> kinds = {"openai", "anthropic",  "gemini",
                                                   "ollama", "openrouter", "minimax"};

// Enough of a stream to see what happened; the seed gives the rest.
std::string_view excerpt(std::string_view stream) { return stream.substr(0, 2000); }

// What is wrong with the client's stream, in one dialect or another; empty when it is valid,
// however it ended.
std::string flaws(std::string_view from, std::string_view upstream) {
    const auto& dialects = all_dialects();
    cli::TranscodeOptions options;
    options.from = from;
    std::size_t which = upstream.size();
    while (is_own_api(from, dialects[which % dialects.size()])) ++which;
    options.to = dialects[which % dialects.size()];
    options.split = 1 + upstream.size() % 97;
    const std::string client = transcoded(options, upstream);
    std::string report = read_any_stream(client, envelope_of(options)).report();
    if (report.empty()) return "";
    return report.append("in ")
        .append(options.to)
        .append(" from\n")
        .append(excerpt(upstream))
        .append("\nto\n")
        .append(excerpt(client));
}

// What the client makes of a prefix of a stream, against the plain reading of that prefix.
std::string flaws_of_prefix(const Recording& recording, std::string_view prefix,
                            std::string_view dialect = "openai") {
    cli::TranscodeOptions options;
    options.from = recording.from();
    options.to = dialect;
    const std::string client = transcoded(options, prefix);
    const ClientStream stream = read_any_stream(client, envelope_of(options));
    Answer plain =
        as_told_in(dialect, Form::stream, read_plainly(recording.format, recording.from(), prefix));
    if (dialect != "openai" && stream.answer.failed) forget_untold_calls(plain, stream.answer);
    std::string report = stream.report() + differences(plain, stream.answer);
    if (report.empty()) return "";
    return report
        .insert(0,
                std::string(dialect) + " cut after " + std::to_string(prefix.size()) + " bytes\n")
        .append(excerpt(client));
}

std::string random_bytes(std::mt19937& random, std::size_t size_max) {
    std::string bytes(random() % (size_max + 1), '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    return bytes;
}

// Pieces of every format, in any order: far more of these get past the first check than
// random bytes do.
std::string random_pieces(std::mt19937& random) {
    static constexpr std::array<std::string_view, 30> pieces = {
        "data: ",
        "\n\n",
        "\r\n",
        "\n",
        "event: error\n",
        ": comment\n",
        "[DONE]",
        "{",
        "}",
        "[",
        "]",
        "\"",
        ",",
        "\\ud83d",
        "\\",
        "\xC3",
        "null",
        "1e999",
        R"({"choices":[{"index":0,"delta":{)",
        R"("content":"hi"}}]})",
        R"("finish_reason":"stop"}]})",
        R"({"error":{"message":"no"}})",
        R"({"type":"message_start","message":{}})",
        R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}})",
        R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
        R"({"type":"message_stop"})",
        R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]})",
        R"({"message":{"content":"hi"},"done":true})",
        R"({"choices":[{"delta":{"tool_calls":[{"index":7,"function":{"arguments":"{"}}]}}]})"};
    std::string stream;
    for (auto count = random() % 40; count > 0; --count) stream += pieces[random() % pieces.size()];
    return stream;
}

std::vector<std::string> lines_of(std::string_view stream) {
    std::vector<std::string> lines;
    for (const auto line : std::views::split(stream, '\n'))
        lines.emplace_back(line.begin(), line.end());
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string stream;
    for (const std::string& line : lines) stream.append(line).append("\n");
    return stream;
}

// One thing that goes wrong on the way.
std::string damaged(std::string stream, std::mt19937& random) {
    if (stream.empty()) return stream;
    std::vector<std::string> lines = lines_of(stream);
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
    const auto other = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
    switch (random() % 6) {
        case 0:
            stream[random() % stream.size()] ^= static_cast<char>(1 << random() % 8);
            return stream;
        case 1: stream.erase(random() % stream.size(), 1 + random() % 40); return stream;
        case 2: stream.insert(random() % stream.size(), random_bytes(random, 20)); return stream;
        case 3: lines.erase(line); break;
        case 4: lines.insert(other, *line); break;
        case 5: std::iter_swap(line, other); break;
    }
    return joined(lines);
}

TEST(BrokenStream, NoBytesAtAllEndWell) {
    for (const std::string_view from : kinds) EXPECT_TRUE(streamed_answer(from, "").failed) << from;
}

TEST(BrokenStream, RandomBytesEndWell) {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i)
        for (const std::string_view from : kinds)
            ASSERT_TRUE(nothing_in(flaws(from, random_bytes(random, 200)))) << from << " " << i;
}

TEST(BrokenStream, RandomPiecesOfEveryFormatEndWell) {
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i)
        for (const std::string_view from : kinds)
            ASSERT_TRUE(nothing_in(flaws(from, random_pieces(random)))) << from << " " << i;
}

class BrokenRecording : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }
};

TEST_P(BrokenRecording, EndsWellHoweverItIsDamaged) {
    const std::string upstream = GetParam().bytes().substr(0, 16 << 10);
    std::mt19937 random(static_cast<unsigned>(upstream.size()));
    for (int i = 0; i < 12; ++i) {
        std::string broken = damaged(upstream, random);
        if (i % 3 == 0) broken = damaged(std::move(broken), random);
        ASSERT_TRUE(nothing_in(flaws(GetParam().from(), broken))) << "round " << i;
    }
}

TEST_P(BrokenRecording, IsNoSuccessWhenCutBeforeItsEnd) {
    const std::string upstream = GetParam().bytes();
    std::mt19937 random(static_cast<unsigned>(upstream.size()));
    // Anywhere, and around the end, where the terminal marker is.
    std::uniform_int_distribution<std::size_t> anywhere(0, upstream.size());
    std::uniform_int_distribution<std::size_t> near_end(
        upstream.size() - std::min(upstream.size(), std::size_t{1500}), upstream.size());
    for (int i = 0; i < 6; ++i) {
        const std::size_t cut = i % 2 == 0 ? anywhere(random) : near_end(random);
        EXPECT_TRUE(
            nothing_in(flaws_of_prefix(GetParam(), std::string_view(upstream).substr(0, cut))));
    }
}

TEST_P(BrokenRecording, IsNoSuccessInAnyApiWhenCutBeforeItsEnd) {
    const std::string upstream = GetParam().bytes();
    std::mt19937 random(static_cast<unsigned>(upstream.size() + 1));
    for (const std::string_view dialect : dialects_of_other_apis()) {
        if (is_own_api(GetParam().from(), dialect)) continue;
        const std::size_t cut = random() % (upstream.size() + 1);
        EXPECT_TRUE(nothing_in(
            flaws_of_prefix(GetParam(), std::string_view(upstream).substr(0, cut), dialect)));
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenRecording, testing::ValuesIn(recordings_of(Kind::stream)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

// A few short streams of each format, cut after every byte.
std::vector<Recording> short_streams() {
    std::vector<Recording> chosen;
    for (const Format format :
         {Format::openai_chat, Format::anthropic, Format::gemini, Format::ollama}) {
        std::vector<std::pair<std::size_t, Recording>> by_size;
        for (const Recording& recording : recordings_of(Kind::stream))
            if (recording.format == format)
                by_size.emplace_back(recording.bytes().size(), recording);
        std::ranges::sort(by_size, {}, [](const auto& entry) { return entry.first; });
        for (const auto& [size, recording] : by_size | std::views::take(3))
            chosen.push_back(recording);
    }
    if (chosen.empty()) chosen.push_back({.provider = "absent", .file = ""});
    return chosen;
}

class CutStream : public BrokenRecording {};

TEST_P(CutStream, IsReadAsFarAsItGoesAfterEveryByte) {
    const std::string upstream = GetParam().bytes();
    const auto& others = dialects_of_other_apis();
    for (std::size_t cut = 0; cut <= upstream.size(); ++cut) {
        const std::string_view prefix = std::string_view(upstream).substr(0, cut);
        ASSERT_TRUE(nothing_in(flaws_of_prefix(GetParam(), prefix)));
        if (const auto dialect = others[cut % others.size()];
            !is_own_api(GetParam().from(), dialect))
            ASSERT_TRUE(nothing_in(flaws_of_prefix(GetParam(), prefix, dialect)));
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, CutStream, testing::ValuesIn(short_streams()),
                         [](const auto& info) { return test_name_of(info.param.name()); });

}  // namespace
}  // namespace runnel::conformance
