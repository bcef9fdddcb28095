#include "timeline/recording.hpp"

#include "support/timeline_recorder.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace runnel::timeline {
namespace {

TEST(Recording, TellsEveryKindOfEventAgainAfterItsTextIsGone) {
    Recording recording;
    testing::TimelineRecorder at_once;
    {
        const auto text = std::make_unique<std::string>("some text that is not short at all");
        const std::string_view t = *text;
        const std::vector<TokenLogprob> top{{t, "-2"}};
        const std::vector<TokenLogprob> tokens{{t, "-0.5", "[97]", top}, {t, "-1"}};
        const Event events[] = {
            Started{},
            Text{0, t},
            Reasoning{0, t},
            ReasoningSigned{0, t, t},
            ReasoningEncrypted{0, t, t, t},
            Refusal{1, t},
            ItemEnded{0},
            ToolStarted{0, 0, t, t},
            ToolArguments{0, 0, t},
            ToolEnded{0, 0},
            ServerTool{ServerTool::State::completed, t, t, t, t, t},
            HoldOver{},
            Citation{
                .choice = 0, .url = t, .title = t, .cited_text = t, .file_id = t, .reference = t},
            Media{0, Media::Kind::audio, t, t, t, t, t, 7},
            Logprobs{0, Logprobs::Of::text, tokens},
            ProviderState{t, t},
            UsageReported{{.fresh_input = 3, .output = 4}},
            Finished{0, Finish::length, t, t},
            Failed{{ErrorKind::upstream_failed, "no"}},
            Ended{}};
        for (const Event& event : events) {
            recording.on(event);
            at_once.on(event);
        }
    }
    testing::TimelineRecorder later;
    recording.replay(&later);
    EXPECT_EQ(later.text(), at_once.text());
    EXPECT_EQ(later.natives(), at_once.natives());
    const Recording copy = recording;
    recording.clear();
    EXPECT_TRUE(recording.empty());
    EXPECT_EQ(recording.bytes(), 0U);
    testing::TimelineRecorder of_copy;
    copy.replay(&of_copy);
    EXPECT_EQ(of_copy.text(), at_once.text());
}

}  // namespace
}  // namespace runnel::timeline
