#include "timeline/redaction.hpp"

#include "json/text.hpp"
#include "support/random_timeline.hpp"
#include "support/timeline_recorder.hpp"
#include "timeline/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runnel::timeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string rendered(const TimedRecording& recording) {
    testing::TimelineRecorder recorder;
    recording.replay(&recorder);
    return recorder.text();
}

TEST(Redaction, MasksACredentialHoweverItIsCut) {
    const std::string said = "use\nsk-live-0123456789abcdef, or é";
    for (std::size_t a = 0; a <= said.size(); ++a)
        for (std::size_t b = a; b <= said.size(); ++b) {
            TimedRecording recording;
            int at = 0;
            for (const std::string& piece :
                 {said.substr(0, a), said.substr(a, b - a), said.substr(b)}) {
                std::string escaped;
                json::append_escaped(escaped, piece);
                recording.add(EventTime(++at), Text{0, escaped});
                recording.add(EventTime(at), Reasoning{0, "hm"});
            }
            const TimedRecording masked = without_credentials(recording);
            Fold fold;
            masked.replay(&fold);
            EXPECT_EQ(fold.answer().choices[0].text_escaped(), R"(use\nsk-***, or é)");
            EXPECT_EQ(fold.answer().choices[0].reasoning_escaped(), "hmhmhm");
            EXPECT_EQ(masked.times(), recording.times());
        }
}

// Those are left out, because nobody can look at them together.
TimedRecording without_pieces_of_json(const TimedRecording& recording) {
    TimedRecording rest;
    for (std::size_t i = 0; i < recording.events().size(); ++i) {
        const auto* native = std::get_if<Native>(&recording.events()[i]);
        if (native == nullptr || native->what != Native::What::addition)
            rest.add(recording.times()[i], recording.events()[i]);
    }
    return rest;
}

TEST(Redaction, KeepsWhatHasNoCredentialToTheByte) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        const TimedRecording recording =
            without_pieces_of_json(testing::RandomTimeline(seed).make());
        const std::string archive = write_archive(recording, 1'000'000);
        EXPECT_EQ(write_archive(without_credentials(recording), 1'000'000), archive);
    }
}

TEST(Redaction, CoversToolsSourcesErrorsAndLogprobs) {
    const std::string_view key = "sk-live-0123456789abcdef";
    const std::string arguments = fmt::format(R"({{"token":"{}","pin_token":12345}})", key);
    const std::string url = fmt::format("https://x?key={}", key);
    const std::vector<TokenLogprob> tokens{{"abcdef", "-1"}};
    std::string escaped;
    json::append_escaped(escaped, arguments);
    TimedRecording recording;
    recording.add(EventTime(0), ToolStarted{0, 0, "call_1", "f"});
    recording.add(EventTime(0), ToolArguments{0, 0, std::string_view(escaped).substr(0, 20)});
    recording.add(EventTime(0), ToolArguments{0, 0, std::string_view(escaped).substr(20)});
    recording.add(EventTime(0), ServerTool{ServerTool::State::completed, "s", "g", arguments,
                                           "\"Bearer abcdef123\"", R"({"goal":"key=abcdef123"})"});
    recording.add(EventTime(0), Citation{.choice = 0, .url = url, .title = key, .cited_text = url});
    recording.add(EventTime(0), Media{.choice = 0, .kind = Media::Kind::image, .url = url});
    for (const std::string_view piece : {key.substr(0, 9), key.substr(9)})
        recording.add(
            EventTime(0),
            Media{.choice = 0, .kind = Media::Kind::audio, .data = "AQI=", .transcript = piece});
    recording.add(EventTime(0), Logprobs{0, Logprobs::Of::text, tokens});
    recording.add(EventTime(0), Failed{{ErrorKind::upstream_auth, fmt::format("bad {}", key)}});
    const std::string archive = write_archive(without_credentials(recording), 1'000'000);
    EXPECT_THAT(archive, Not(HasSubstr("0123456789")));
    EXPECT_THAT(archive, Not(HasSubstr("abcdef")));
    EXPECT_THAT(archive, Not(HasSubstr("12345")));
    const auto again = read_archive(archive);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_THAT(rendered(*again), HasSubstr("logprobs 0 text\n"));
}

}  // namespace
}  // namespace runnel::timeline
