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
        const Event events[] = {Started{},
                                Text{0, t},
                                Reasoning{0, t},
                                Refusal{1, t},
                                ToolStarted{0, 0, t, t},
                                ToolArguments{0, 0, t},
                                ToolEnded{0, 0},
                                ServerTool{ServerTool::State::completed, t, t, t, t, t},
                                HoldOver{},
                                Annotation{0, t},
                                Media{0, Media::Kind::image, t},
                                Logprobs{0, t},
                                ProviderState{t, t},
                                UsageReported{{.fresh_input = 3, .output = 4}},
                                Finished{0, Finish::length, t},
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
    recording.clear();
    EXPECT_TRUE(recording.empty());
}

}  // namespace
}  // namespace runnel::timeline
