#include "api/registry.hpp"
#include "support/random_timeline.hpp"
#include "timeline/answer.hpp"
#include "timeline/archive.hpp"

#include <gtest/gtest.h>

namespace runnel::api {
namespace {

std::string encoded(const Dialect& dialect, const timeline::TimedRecording& recording) {
    Envelope envelope{"chatcmpl-T", 1, "m"};
    envelope.usage = Envelope::Usage::shown;
    envelope.tool_events = Envelope::ToolEvents::comments;
    envelope.tool_results = Envelope::ToolResults::shown;
    std::string out;
    recording.replay(dialect.make_encoder(envelope, &out).get());
    timeline::Fold fold;
    recording.replay(&fold);
    fold.on(timeline::Ended{});
    return out + dialect.write_answer(envelope, fold.answer());
}

TEST(Replay, OfAnArchiveIsTheSameInEveryDialectToTheByte) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        const auto made = testing::RandomTimeline(seed).make();
        const std::string archive = timeline::write_archive(made, 1'000'000);
        const auto again = timeline::read_archive(archive);
        ASSERT_TRUE(again) << archive;
        for (const std::string_view name : dialect_names()) {
            const Dialect& dialect = *dialect_named(name);
            EXPECT_EQ(encoded(dialect, *again), encoded(dialect, made)) << name << " " << archive;
        }
    }
}

}  // namespace
}  // namespace runnel::api
