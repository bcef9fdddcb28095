#include "base/log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace runnel::log {
namespace {

using namespace std::chrono_literals;

// 2026-11-15 09:04:59.007 UTC
constexpr Line::Time some_time{std::chrono::milliseconds(1'794'733'499'007)};

Line json_line() { return Line(Level::info, "request", Format::json, some_time); }
Line text_line() { return Line(Level::info, "request", Format::text, some_time); }

// What `write` puts on stderr.
std::string captured(void (*write)()) {
    testing::internal::CaptureStderr();
    write();
    flush();
    return testing::internal::GetCapturedStderr();
}

TEST(Log, WritesJsonForMachines) {
    EXPECT_EQ(json_line()
                  .add("status", 200)
                  .add("model", "demo/echo")
                  .add("stream", true)
                  .add("total_ms", 12'345us)
                  .text(),
              R"({"time":"2026-11-15T09:04:59.007Z","level":"info","event":"request",)"
              R"("status":200,"model":"demo/echo","stream":true,"total_ms":12.345})");
}

TEST(Log, WritesTextForPeople) {
    EXPECT_EQ(
        text_line()
            .add("status", 200)
            .add("model", "demo/echo")
            .add("error", "it broke")
            .add("finish", "")
            .add("stream", false)
            .text(),
        "2026-11-15T09:04:59.007Z info    request status=200 model=demo/echo error=\"it broke\" "
        "finish=\"\" stream=false");
}

TEST(Log, WritesLists) {
    const std::vector<std::string> warnings{"one", "two words"};
    EXPECT_TRUE(json_line()
                    .add("warnings", warnings)
                    .text()
                    .ends_with(R"("warnings":["one","two words"]})"));
    EXPECT_TRUE(
        text_line().add("warnings", warnings).text().ends_with(R"( warnings=one,"two words")"));
}

TEST(Log, NeverShowsASecret) {
    const Secret key("sk-very-secret");
    EXPECT_EQ(json_line().add("key", key).text().find("very"), std::string::npos);
    EXPECT_TRUE(text_line().add("key", key).text().ends_with(" key=***"));
}

TEST(Log, StaysOneLineOfJsonForEveryByte) {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    const std::string line = json_line().add("value", bytes).text();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_TRUE(simdjson::validate_utf8(line));
    simdjson::dom::parser parser;
    std::string_view value;
    ASSERT_EQ(parser.parse(line)["value"].get(value), simdjson::SUCCESS);
    EXPECT_EQ(value.substr(0, 128), std::string_view(bytes).substr(0, 128));

    EXPECT_EQ(text_line().add("value", bytes).text().find('\n'), std::string::npos);
}

TEST(Log, CannotBeForgedByAValue) {
    EXPECT_TRUE(
        text_line().add("model", "x status=200").text().ends_with(R"( model="x status=200")"));
    EXPECT_TRUE(text_line().add("model", "a=b").text().ends_with(R"( model="a=b")"));
    EXPECT_TRUE(text_line().add("model", "\x1b[31m").text().ends_with(R"( model="\u001b[31m")"));
    // Terminals obey U+009B as they obey ESC [, and U+202E turns the text behind it round.
    EXPECT_TRUE(text_line().add("model", "\u009b31m").text().ends_with(" model=\"\uFFFD31m\""));
    EXPECT_TRUE(text_line().add("model", "\u202e002").text().ends_with(" model=\"\uFFFD002\""));
    EXPECT_TRUE(text_line().add("model", "\u00a0é").text().ends_with(" model=\"\u00a0é\""));
}

TEST(Log, WritesLinesOfTheLevelAndAbove) {
    const std::string lines = captured([] {
        set_up(Format::text, Level::warning);
        Line(Level::info, "quiet").write();
        Line(Level::warning, "loud").add("n", 1).write();
    });
    EXPECT_EQ(lines.find("quiet"), std::string::npos);
    EXPECT_TRUE(lines.ends_with(" warning loud n=1\n")) << lines;

    EXPECT_EQ(captured([] {
                  set_up(Format::text, Level::off);
                  Line(Level::error, "nothing").write();
              }),
              "");
    set_up(format_for_stderr(), Level::info);
}

TEST(Log, DropsAndCountsLinesThatNobodyReads) {
    set_up(Format::text, Level::info);
    flush();
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int stderr_before = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    const std::uint64_t dropped_before = dropped_lines();
    const std::string value(100'000, 'x');
    for (int i = 0; i < 200; ++i) Line(Level::info, "line").add("n", i).add("value", value).write();
    const std::uint64_t dropped = dropped_lines() - dropped_before;
    EXPECT_GT(dropped, 100U);
    EXPECT_LT(dropped, 125U);

    std::string read;
    std::thread reader([&] {
        std::vector<char> buffer(1 << 16);
        for (ssize_t got; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
            read.append(buffer.data(), static_cast<std::size_t>(got));
    });
    flush();
    Line(Level::info, "read again").write();
    flush();
    ::dup2(stderr_before, STDERR_FILENO);
    ::close(stderr_before);
    reader.join();
    ::close(ends[0]);
    EXPECT_TRUE(read.contains(" info    line n=0 "));
    EXPECT_TRUE(read.contains(" info    read again\n"));
    EXPECT_TRUE(read.contains(
        fmt::format("log lines were dropped, because nobody read stderr lines={}\n", dropped)));
    set_up(format_for_stderr(), Level::info);
}

TEST(Log, NamesItsLevels) {
    EXPECT_EQ(level_named("warning"), Level::warning);
    EXPECT_EQ(level_named("loud"), std::nullopt);
    for (const std::string_view name : level_names()) EXPECT_TRUE(level_named(name)) << name;
}

}  // namespace
}  // namespace runnel::log
