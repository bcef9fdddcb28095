#include "corpus.hpp"
#include "plain_reading.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

namespace runnel::conformance {
namespace {

class RecordedStream : public testing::TestWithParam<Recording> {
protected:
    void SetUp() override { RUNNEL_SKIP_WITHOUT_CORPUS(); }

    cli::TranscodeOptions options() const {
        cli::TranscodeOptions options;
        options.from = GetParam().from();
        return options;
    }

    Answer plain_reading(std::string_view bytes) const {
        return read_plainly(GetParam().format, GetParam().from(), bytes);
    }
};

TEST_P(RecordedStream, ReachesTheClientWholeAndInOrder) {
    const std::string upstream = GetParam().bytes();
    const Answer client = streamed_answer(options(), upstream);
    EXPECT_TRUE(nothing_in(differences(plain_reading(upstream), client)));
    EXPECT_FALSE(client.usage) << "nobody asked for usage";
}

TEST_P(RecordedStream, ShowsUsageToWhoAsksForIt) {
    const std::string upstream = GetParam().bytes();
    cli::TranscodeOptions asking = options();
    asking.include_usage = true;
    const Answer client = streamed_answer(asking, upstream);
    const Answer plain = plain_reading(upstream);
    EXPECT_TRUE(nothing_in(differences(plain, client)));
    if (!plain.failed && plain.usage) EXPECT_TRUE(client.usage) << "upstream reported usage";
}

TEST_P(RecordedStream, FoldsIntoTheSameAnswer) {
    const std::string upstream = GetParam().bytes();
    const Answer client = folded_answer(options(), upstream);
    const Answer plain = plain_reading(upstream);
    // A failure is all that a client hears of a failed answer that it did not stream.
    if (plain.failed) {
        EXPECT_TRUE(client.failed);
        return;
    }
    EXPECT_TRUE(nothing_in(differences(plain, client)));
}

INSTANTIATE_TEST_SUITE_P(Corpus, RecordedStream, testing::ValuesIn(recordings_of(Kind::stream)),
                         [](const auto& info) { return test_name_of(info.param.name()); });

}  // namespace
}  // namespace runnel::conformance
